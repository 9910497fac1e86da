//! Private keys in armour: everything from BEGIN to END, line by line, also where one of the two is not seen.

use std::sync::LazyLock;

use geometry::Rect;
use regex::Regex;

use crate::run::Run;
use crate::scan::{as_ascii, pattern};

static BEGIN: LazyLock<Regex> = LazyLock::new(|| pattern(r"-+ ?BEGIN ?[A-Z0-9 ]{0,30}PRIVATE ?KEY"));
static END: LazyLock<Regex> = LazyLock::new(|| pattern(r"-+ ?END ?[A-Z0-9 ]{0,30}PRIVATE ?KEY"));
/// What stands in armour besides the key.
static HEADER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^ ?(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset) ?:"));

/// More lines than a key of 16,384 bits takes.
const MOST_LINES: usize = 256;

/// A line between shorter than this may be the last of the key.
const SHORT: usize = 4;

/// The boxes of all lines of private keys.
pub(crate) fn places(runs: &[Run]) -> Vec<Rect> {
    let texts: Vec<String> = runs.iter().map(|run| run.text().into_iter().map(as_ascii).collect()).collect();
    let mut places = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        if let Some(begin) = BEGIN.find(text) {
            let from = text[..begin.start()].chars().count();
            places.extend(runs[at].places(from..text.chars().count()));
            if !END.is_match(text) {
                cover(runs, &texts, at, Direction::Down, &mut places);
            }
        } else if let Some(end) = END.find(text) {
            places.extend(runs[at].places(0..text[..end.end()].chars().count()));
            cover(runs, &texts, at, Direction::Up, &mut places);
        }
    }
    places
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Down,
    Up,
}

/// The lines of the key below its beginning, or above its end: all of them where the other end is seen, else those that look like
/// one.
fn cover(runs: &[Run], texts: &[String], from: usize, direction: Direction, places: &mut Vec<Rect>) {
    let mut lines = Vec::new();
    let mut at = from;
    let mut is_whole = false;
    while let Some(next) = neighbour(runs, at, direction).filter(|_| lines.len() < MOST_LINES && !is_whole) {
        let (begins, ends) = (BEGIN.is_match(&texts[next]), END.is_match(&texts[next]));
        is_whole = if direction == Direction::Down { ends } else { begins };
        if !is_whole && (begins || ends) {
            // Another key.
            break;
        }
        lines.push(next);
        at = next;
    }
    let looks_like_one = |line: &&usize| {
        let text = &texts[**line];
        is_whole || is_material(text) || HEADER.is_match(text)
    };
    for line in lines.iter().take_while(looks_like_one) {
        places.extend(runs[*line].places(0..texts[*line].chars().count()));
    }
}

/// The nearest run above or below that stands in the same column.
fn neighbour(runs: &[Run], at: usize, direction: Direction) -> Option<usize> {
    let here = runs.get(at)?.area;
    let step = |other: Rect| {
        let step = i64::from(other.centre().1) - i64::from(here.centre().1);
        if direction == Direction::Down { step } else { -step }
    };
    let is_near = |(_, run): &(usize, &Run)| {
        let is_beside = i64::from(run.area.x) < here.right() && i64::from(here.x) < run.area.right();
        let height = i64::from(here.height);
        is_beside && (height / 3..height * 4).contains(&step(run.area))
    };
    let near = runs.iter().enumerate().filter(|(other, _)| *other != at).filter(is_near);
    near.min_by_key(|(_, run)| (step(run.area), (i64::from(run.area.x) - i64::from(here.x)).abs()))
        .map(|(at, _)| at)
}

/// Letters and digits of base64 with hardly a space, as no sentence is.
fn is_material(text: &str) -> bool {
    let spaces = text.matches(' ').count();
    let sound = text
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || "+/=-_\\\"',|".contains(*letter))
        .count();
    let length = text.chars().count();
    let is_mixed = text.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        || text.contains(['+', '/', '=']);
    let is_dense = sound * 10 >= (length - spaces) * 9 && spaces * 12 <= length;
    is_dense && (is_mixed || length <= SHORT)
}

#[cfg(test)]
mod tests {
    use super::places;
    use crate::run::tests::page;
    use crate::run::{Spacing, runs};

    /// The lines that are covered.
    fn covered(lines: &[&str]) -> Vec<usize> {
        let places = places(&runs(&page(lines), &[], Spacing::AsRead));
        let mut rows: Vec<usize> =
            places.iter().filter_map(|place| usize::try_from(place.centre().1 / 20).ok()).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    const KEY: [&str; 5] = [
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA7bq1J2h8x9Yc0dT4",
        "kL3mN5pQ7rS9tU1vW3xY5zAbCdEfGhIj",
        "Zm9vYmFyYmF6cXV4Cg==",
        "-----END RSA PRIVATE KEY-----",
    ];

    #[test]
    fn a_key_is_covered_from_its_beginning_to_its_end() {
        let mut lines = vec!["$ cat id_rsa"];
        lines.extend(KEY);
        lines.push("$ echo done with it");
        assert_eq!(covered(&lines), [1, 2, 3, 4, 5]);
    }

    /// A header that nobody knows, and a line that was read as words.
    #[test]
    fn whatever_stands_between_beginning_and_end_is_covered() {
        let mut lines = KEY.to_vec();
        lines.insert(1, "Key-Name: of somebody else");
        lines.insert(3, "kL 3m N5 pQ 7r S9 tU 1v W3");
        assert_eq!(covered(&lines), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_key_whose_end_or_beginning_is_not_seen_is_covered_all_the_same() {
        assert_eq!(covered(&KEY[..3]), [0, 1, 2]);
        assert_eq!(covered(&KEY[2..]), [0, 1, 2]);
        assert_eq!(covered(&["no key here", "and none there"]), [0; 0]);
    }
}
