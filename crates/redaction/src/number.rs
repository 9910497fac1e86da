//! Numbers that belong to people and machines: telephones, social security, the internet.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::scan::{Candidates, ends_alone, matches, pattern, stands_alone};

/// Nine digits in three groups with dashes are one whatever touches them; with spaces they may be a part of a table.
static SSN_WITH_DASHES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{3}-\d{2}-\d{4}"));
static SSN_WITH_SPACES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{3} \d{2} \d{4}"));

/// The beginning of one at the end of what is seen.
static SSN_CUT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{3}-\d{2}-\d{1,3}$"));

/// Whatever a person would take for one: also numbers that were never given to anybody, or stand in examples.
pub(super) fn ssns(candidates: &Candidates) -> Vec<Range<usize>> {
    let text = &candidates.folded;
    let mut found = matches(&SSN_WITH_DASHES, text, |place| !goes_on(text, &place, b".-"));
    found.extend(matches(&SSN_WITH_SPACES, text, |place| is_number_alone(text, &place, b".-/,")));
    if candidates.ends.cut_right {
        found.extend(matches(&SSN_CUT, text, |place| !goes_on(text, &place, b".-")));
    }
    found.extend(named(&NAMED_SSN, candidates));
    found
}

/// Nine digits, however they are parted, where a word before them says so.
static NAMED_SSN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i-u)(?:ssn|social security)(?:[ _]?(?:number|no|nr))?[.:)#="']{0,3} {0,3}["']?(\d{3}[-. ]?\d{2}[-. ]?\d{4})"#,
    )
});

/// What stands in the first group of a pattern, if the number ends there.
fn named(pattern: &Regex, Candidates { text, folded, .. }: &Candidates) -> Vec<Range<usize>> {
    // Digits may have been put for the letters of a name that touches its number.
    let texts = [folded, text].into_iter();
    let numbers = texts.flat_map(|text| {
        let numbers = pattern.captures_iter(text).filter_map(|hit| hit.get(1)).map(|number| number.range());
        numbers.filter(|place| ends_alone(text, place) && !goes_on(text, place, b".-/,"))
    });
    numbers.collect()
}

static PHONES: LazyLock<[Regex; 8]> = LazyLock::new(|| {
    [
        // With a country, in any grouping.
        pattern(r"\+ ?\d{1,3}(?:[ .\-/]?\(?\d{1,5}\)?){2,6}(?: ?x ?\d{1,6})?|\+ ?\d{8,15}"),
        // With the zeros that are dialled before it.
        pattern(r"00[2-9]\d{1,2}[ .\-/]\(?\d{1,5}\)?(?:[ .\-/]?\d{2,8}){1,4}"),
        // North America, with or without its own number and an extension.
        pattern(r"(?:1[ .\-])?(?:\(\d{3}\)[ .\-]?|\d{3}[ .\-])\d{3}[ .\-]\d{4}(?: ?x ?\d{1,6})?"),
        // With a trunk prefix, as in most of Europe and Asia: in many groups, or what is left of them without what follows.
        pattern(r"(?:\(0\d{1,4}\) ?|0\d{2,4}[ /\-])\d{3,9}(?:[ \-]\d{2,5}){1,2}"),
        pattern(r"(?:\(0\d{1,4}\) ?|0\d{2,4}[ /\-])\d{3,9}"),
        pattern(r"0\d{2,4}/ ?\d{2,3}(?: \d{2,3}){1,3}"),
        pattern(r"0\d[ \-]\d{4}[ \-]\d{4}"),
        pattern(r"0\d(?:[ .\-]\d{2}){4}"),
    ]
});

pub(super) fn phones(candidates: &Candidates) -> Vec<Range<usize>> {
    let text = &candidates.folded;
    let is_sound = |place: Range<usize>| {
        let part = text.get(place.clone()).unwrap_or_default();
        // What begins with a zero and follows other digits is a part of a longer number.
        let is_rest = part.trim_start_matches('(').starts_with('0')
            && text.get(..place.start).is_some_and(ends_with_a_number);
        let number = part.split('x').next().unwrap_or_default();
        (8..=15).contains(&digits(number).len()) && is_number_alone(text, &place, b".-/") && !is_rest
    };
    let mut found: Vec<Range<usize>> =
        PHONES.iter().flat_map(|pattern| matches(pattern, text, is_sound)).collect();
    found.extend(named(&NAMED_PHONE, candidates));
    let has_length =
        |place: &Range<usize>| (8..=15).contains(&digits(text.get(place.clone()).unwrap_or_default()).len());
    found.extend(named(&GROUPS_NAMED_PHONE, candidates).into_iter().filter(has_length));
    found.extend(named(&PHONE_NAMED, candidates).into_iter().filter(|place| stands_alone(text, place)));
    found
}

/// Ten digits in a row are a telephone number where a word beside them says so.
static NAMED_PHONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i-u)(?:phone|telephone|telefon|tel|mobile|mobil|cell|handy|fax|call|sms|whatsapp|number|no)(?: ?\([a-z ]{1,12}\))?[.:)#="']{0,3} {0,3}["']?(\d{10})"#,
    )
});

/// Any groups of digits beside a word that means nothing else.
static GROUPS_NAMED_PHONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i-u)\b(?:phone|telephone|telefon|tel|mobile|mobil|handy|fax|sms|whatsapp)[.:)#="']{0,3} {0,3}["']?(\d{2,5}(?:[ .\-/]?\d{2,8}){1,4})"#,
    )
});

/// Ten digits in a row, where the word comes after them.
static PHONE_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)(\d{10})[,;]? ?\(?(?:phone|telephone|telefon|tel|mobile|mobil|cell|handy|fax|sms|whatsapp)\b",
    )
});

fn ends_with_a_number(text: &str) -> bool {
    text.strip_suffix(' ').is_some_and(|text| text.ends_with(|end: char| end.is_ascii_digit()))
}

/// Whether neither a letter nor a digit touches a number, and it does not go on behind one of these signs.
fn is_number_alone(text: &str, place: &Range<usize>, joints: &[u8]) -> bool {
    stands_alone(text, place) && !goes_on(text, place, joints)
}

/// Whether a number goes on before or after this part: with a digit, or with one of these signs and a digit.
fn goes_on(text: &str, place: &Range<usize>, joints: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let digit_at = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let joint_at =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| joints.contains(byte));
    let before = |step: usize| place.start.checked_sub(step);
    let after = |step: usize| Some(place.end + step);
    digit_at(before(1))
        || digit_at(after(0))
        || joint_at(before(1)) && digit_at(before(2))
        || joint_at(after(0)) && digit_at(after(1))
}

static IPV4: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"));
/// A colon after it belongs to the sentence, and two are its end.
static IPV6: LazyLock<Regex> = LazyLock::new(|| pattern(r"[0-9A-Fa-f:]{4,38}(?:[0-9A-Fa-f]|::)"));
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
        // A network's width or the end of a range may follow, and a list has commas.
        plain.parse::<Ipv4Addr>().is_ok() && is_number_alone(folded, &place, b".")
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
