//! Numbers that belong to people and machines: telephones, social security, the internet.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::scan::{Candidates, matches, pattern, stands_alone};

static SSN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{3}([- ])\d{2}[- ]\d{4}"));

/// Numbers that were never given to anybody, or stand in examples.
const NOBODYS: &[&str] = &["078051120", "123456789", "219099999"];

pub(super) fn ssns(candidates: &Candidates) -> Vec<Range<usize>> {
    let text = &candidates.folded;
    matches(&SSN, text, |place| {
        let part = text.get(place.clone()).unwrap_or_default();
        // Both delimiters alike.
        let delimiters: Vec<char> = part.chars().filter(|character| !character.is_ascii_digit()).collect();
        is_number_alone(text, &place) && delimiters.first() == delimiters.last() && is_ssn(&digits(part))
    })
}

fn is_ssn(digits: &str) -> bool {
    let (Some(area), Some(group), Some(serial)) = (digits.get(..3), digits.get(3..5), digits.get(5..)) else {
        return false;
    };
    area != "000"
        && area != "666"
        && !area.starts_with('9')
        && group != "00"
        && serial != "0000"
        && !NOBODYS.contains(&digits)
}

static PHONES: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        // With a country, in any grouping.
        pattern(r"\+ ?\d{1,3}(?:[ .\-/]?\(?\d{1,5}\)?){2,6}|\+ ?\d{8,15}"),
        // North America.
        pattern(r"(?:\(\d{3}\) ?|\d{3}[ .\-])\d{3}[ .\-]\d{4}"),
        // With a trunk prefix, as in most of Europe.
        pattern(r"0\d{2,4}[ /\-]\d{3,9}(?:[ \-]\d{2,5})?"),
        pattern(r"0\d(?:[ .]\d{2}){4}"),
    ]
});

pub(super) fn phones(candidates: &Candidates) -> Vec<Range<usize>> {
    let text = &candidates.folded;
    let is_sound = |place: Range<usize>| {
        let part = text.get(place.clone()).unwrap_or_default();
        // What begins with a zero and follows other digits is a part of a longer number.
        let goes_on = part.starts_with('0') && text.get(..place.start).is_some_and(ends_with_a_number);
        (8..=15).contains(&digits(part).len()) && is_number_alone(text, &place) && !goes_on
    };
    PHONES.iter().flat_map(|pattern| matches(pattern, text, is_sound)).collect()
}

fn ends_with_a_number(text: &str) -> bool {
    text.strip_suffix(' ').is_some_and(|text| text.ends_with(|end: char| end.is_ascii_digit()))
}

/// Whether a number does not go on before or after this part: no letter, no digit, and no dot or dash with a digit.
fn is_number_alone(text: &str, place: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let digit_at = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let joint_at =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| b".-/,".contains(byte));
    let goes_on_before = joint_at(place.start.checked_sub(1)) && digit_at(place.start.checked_sub(2));
    let goes_on_after = joint_at(Some(place.end)) && digit_at(Some(place.end + 1));
    stands_alone(text, place) && !goes_on_before && !goes_on_after
}

static IPV4: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"));
static IPV6: LazyLock<Regex> = LazyLock::new(|| pattern(r"[0-9A-Fa-f:]{6,39}"));
/// All eight groups, with letters that readers take for digits.
static IPV6_MISREAD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:[0-9A-Fa-flIOo]{1,4}:){7}[0-9A-Fa-flIOo]{1,4}"));

pub(super) fn ip_addresses(candidates: &Candidates) -> Vec<Range<usize>> {
    let Candidates { text, folded } = candidates;
    let mut found = matches(&IPV4, folded, |place| {
        let part = folded.get(place.clone()).unwrap_or_default();
        // Readers drop leading zeros as they like; the parser wants none.
        let octets = part
            .split('.')
            .map(|octet| octet.trim_start_matches('0'))
            .map(|octet| if octet.is_empty() { "0" } else { octet });
        let plain = octets.collect::<Vec<_>>().join(".");
        plain.parse::<Ipv4Addr>().is_ok() && is_number_alone(folded, &place)
    });
    found.extend(matches(&IPV6, text, |place| {
        let part = text.get(place.clone()).unwrap_or_default();
        let is_number = part.bytes().any(|byte| byte.is_ascii_digit());
        part.parse::<Ipv6Addr>().is_ok() && is_number && digits_of_16(part) >= 4 && stands_alone(text, &place)
    }));
    found.extend(matches(&IPV6_MISREAD, text, |place| {
        let part = text.get(place.clone()).unwrap_or_default();
        digits(part).len() >= 4 && stands_alone(text, &place)
    }));
    found
}

fn digits_of_16(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_hexdigit).count()
}

pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}
