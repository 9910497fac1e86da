//! Numbers that belong to people and machines: telephones, social security, the internet.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::scan::{Candidates, ends_alone, matches, pattern, stands_alone};

static SSN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{3}([- ])\d{2}[- ]\d{4}"));

/// Whatever a person would take for one: also numbers that were never given to anybody, or stand in examples.
pub(super) fn ssns(candidates: &Candidates) -> Vec<Range<usize>> {
    let text = &candidates.folded;
    matches(&SSN, text, |place| {
        let part = text.get(place.clone()).unwrap_or_default();
        // Both delimiters alike.
        let delimiters: Vec<char> = part.chars().filter(|character| !character.is_ascii_digit()).collect();
        is_number_alone(text, &place) && delimiters.first() == delimiters.last()
    })
    .into_iter()
    .chain(named(&NAMED_SSN, text))
    .collect()
}

/// Nine digits, however they are parted, where a word before them says so.
static NAMED_SSN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i-u)(?:ssn|social security)(?: number| no| nr)?[.:)#]{0,2} {0,3}(\d{3}[- ]?\d{2}[- ]?\d{4})")
});

/// What stands in the first group of a pattern, as a number of its own.
fn named(pattern: &Regex, text: &str) -> Vec<Range<usize>> {
    let numbers = pattern.captures_iter(text).filter_map(|hit| hit.get(1));
    numbers.map(|number| number.range()).filter(|place| is_number_alone(text, place)).collect()
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
    let mut found: Vec<Range<usize>> =
        PHONES.iter().flat_map(|pattern| matches(pattern, text, is_sound)).collect();
    found.extend(named(&NAMED_PHONE, text));
    found.extend(named(&PHONE_NAMED, text));
    found
}

/// Ten digits in a row are a telephone number where a word beside them says so.
static NAMED_PHONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)(?:phone|telephone|telefon|tel|mobile|mobil|cell|handy|fax|call|sms|whatsapp|number|no)(?: ?\([a-z ]{1,12}\))?[.:)#]{0,2} {0,3}(\d{10})",
    )
});

/// The same, where the word comes after them.
static PHONE_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)(\d{10})[,;]? ?\(?(?:phone|telephone|telefon|tel|mobile|mobil|cell|handy|fax|sms|whatsapp)\b",
    )
});

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
/// A colon after it belongs to the sentence.
static IPV6: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[0-9A-Fa-f:]{5,38}[0-9A-Fa-f]|[0-9A-Fa-f:]{4,37}::"));
/// Groups of an address, with letters that readers take for digits; of two colons a reader may see one.
static IPV6_MISREAD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[0-9A-Fa-flIOo]{1,4}(?:::?[0-9A-Fa-flIOo]{1,4}){3,7}"));

pub(super) fn ip_addresses(candidates: &Candidates) -> Vec<Range<usize>> {
    let Candidates { text, folded, .. } = candidates;
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
        let is_sound = part.parse::<Ipv6Addr>().is_ok() && is_number && digits_of_16(part) >= 4;
        // Readers lose the space behind a label such as `inet6`.
        let is_glued = part.matches(':').count() >= 3 && ends_alone(text, &place);
        is_sound && (is_glued || stands_alone(text, &place))
    }));
    found.extend(matches(&IPV6_MISREAD, text, |place| {
        let part = text.get(place.clone()).unwrap_or_default();
        is_misread_address(part) && stands_alone(text, &place)
    }));
    found
}

/// Not a time, whose groups are digits, and not the address of a network card, whose groups are of two.
fn is_misread_address(text: &str) -> bool {
    let groups: Vec<&str> = text.split(':').filter(|group| !group.is_empty()).collect();
    let long = groups.iter().filter(|group| group.len() >= 3).count();
    let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    digits(text).len() >= 4 && long >= 2 && has_letter
}

fn digits_of_16(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_hexdigit).count()
}

pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}
