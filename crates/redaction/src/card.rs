//! Numbers of credit cards: groups of digits, a known beginning, and the check digit.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::scan::{Candidates, pattern};

static GROUPS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+"));
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i-u)\b(?:card|cc|visa|master ?card|amex|american express|kreditkarte|carte)\b")
});

pub(super) fn find(candidates: &Candidates) -> Vec<Range<usize>> {
    let text = &candidates.folded;
    // Where the text says that it is a card, a digit that was misread does not make it public.
    let is_named = NAMES.is_match(&candidates.text);
    let groups: Vec<Range<usize>> = GROUPS.find_iter(text).map(|group| group.range()).collect();
    let mut found = Vec::new();
    let mut from = 0;
    while from < groups.len() {
        match longest(text, &groups[from..], is_named) {
            Some(count) => {
                found.push(groups[from].start..groups[from + count - 1].end);
                from += count;
            }
            None => from += 1,
        }
    }
    found
}

/// How many groups from the first on make a card number, most first.
fn longest(text: &str, groups: &[Range<usize>], is_named: bool) -> Option<usize> {
    let is_joined =
        |pair: &[Range<usize>]| matches!(text.get(pair[0].end..pair[1].start), Some(" " | "-" | "."));
    let joined = 1 + groups.windows(2).take_while(|pair| is_joined(pair)).count();
    let begins = groups.first()?.start;
    let is_glued =
        begins.checked_sub(1).and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_alphanumeric);
    if is_glued {
        return None;
    }
    (1..=joined.min(6)).rev().find(|count| {
        let parts: Vec<&str> = groups[..*count].iter().filter_map(|group| text.get(group.clone())).collect();
        let ends = groups[count - 1].end;
        let goes_on = text.as_bytes().get(ends).is_some_and(u8::is_ascii_alphanumeric);
        !goes_on && is_card(&parts, is_named)
    })
}

fn is_card(groups: &[&str], is_named: bool) -> bool {
    let number: String = groups.concat();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    // Digits in a row, four times four with or without spaces, or the four-six-five of American Express.
    let is_grouped = match lengths.as_slice() {
        [_] => true,
        [4, 6, 5] => number.starts_with('3'),
        [first @ .., last] => {
            // Readers lose spaces: four digits, or eight, or twelve.
            first.iter().all(|length| length % 4 == 0) && (last % 4 == 0 || (1..=4).contains(last))
        }
        [] => false,
    };
    let is_known = match number.as_bytes() {
        [b'4', ..] => matches!(number.len(), 13 | 16 | 19),
        [b'3', b'4' | b'7', ..] => number.len() == 15,
        [b'3', ..] => matches!(number.len(), 14 | 16),
        [b'2' | b'5' | b'6', ..] => matches!(number.len(), 16 | 19),
        _ => false,
    };
    let is_likely = is_named && matches!(number.len(), 15 | 16);
    is_grouped && is_known && (is_likely || has_check_digit(&number))
}

/// The check of Luhn: every second digit from the right counts twice.
fn has_check_digit(number: &str) -> bool {
    let digits = number.chars().rev().filter_map(|digit| digit.to_digit(10));
    let sum: u32 = digits
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 })
        .sum();
    sum.is_multiple_of(10)
}
