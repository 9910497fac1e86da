//! All spellings of all secrets, ready to be looked for.
//!
//! They are one sorted list in one buffer that is wiped when dropped, with a filter in front that says "certainly not
//! here" from four bytes. An automaton would be as quick and need many times the memory, and none that can be had lets
//! its copies of the secrets be wiped.

use zeroize::{Zeroize as _, Zeroizing};

use super::forms::{Encoding, forms};
use super::{SHORTEST, Secret};

/// A longer spelling is looked for in pieces of at most this length. So one position costs little whatever the values
/// are, little is held back in a stream, and a part of a long value is found as well.
const LONGEST: usize = 256;

/// What is looked for.
pub struct Patterns {
    /// Sorted by their bytes.
    sorted: Vec<Pattern>,
    bytes: Zeroizing<Vec<u8>>,
    names: Vec<String>,
    too_short: Vec<String>,
    filter: Filter,
    longest: usize,
}

struct Pattern {
    start: usize,
    length: usize,
    name: usize,
    encoding: Encoding,
    /// The longest pattern that this one begins with.
    shorter: Option<usize>,
}

/// A value found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit<'a> {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Whose value it is.
    pub name: &'a str,
    /// How it is spelled.
    pub encoding: Encoding,
}

/// A match at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) length: usize,
    pub(crate) name: usize,
    pub(crate) encoding: Encoding,
}

impl Patterns {
    /// Everything these secrets may look like.
    pub fn new<'a>(secrets: impl IntoIterator<Item = Secret<'a>>) -> Patterns {
        Patterns::with_lines(secrets, |_| true)
    }

    /// The same, but of the single lines of values only those that are wanted.
    pub fn with_lines<'a>(
        secrets: impl IntoIterator<Item = Secret<'a>>,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Patterns {
        let mut names = Vec::new();
        let mut too_short = Vec::new();
        let mut found: Vec<(Zeroizing<Vec<u8>>, usize, Encoding)> = Vec::new();
        for secret in secrets {
            if secret.value.trim_ascii().len() < SHORTEST {
                too_short.push(secret.name.to_owned());
                continue;
            }
            names.push(secret.name.to_owned());
            for (encoding, form) in forms(secret.value, &wanted) {
                for piece in pieces(&form) {
                    found.push((Zeroizing::new(piece.to_vec()), names.len() - 1, encoding));
                }
            }
        }
        found.sort_by(|(one, ..), (other, ..)| one.as_slice().cmp(other));
        // The same bytes may be the spelling of several values; the first one given names them.
        found.dedup_by(|(one, ..), (other, ..)| one == other);
        let mut bytes = Zeroizing::new(Vec::with_capacity(found.iter().map(|(form, ..)| form.len()).sum()));
        let mut patterns: Vec<Pattern> = Vec::with_capacity(found.len());
        let mut filter = Filter::new(found.len());
        let mut longest = 0;
        for (form, name, encoding) in &found {
            let start = bytes.len();
            bytes.extend_from_slice(form);
            filter.insert(form);
            longest = longest.max(form.len());
            // In sorted order, whatever a pattern begins with is among its predecessor and those it begins with.
            let mut shorter = patterns.len().checked_sub(1);
            while let Some(at) = shorter {
                let Pattern { start, length, .. } = patterns[at];
                if form.starts_with(&bytes[start..start + length]) {
                    break;
                }
                shorter = patterns[at].shorter;
            }
            patterns.push(Pattern { start, length: form.len(), name: *name, encoding: *encoding, shorter });
        }
        Patterns { sorted: patterns, bytes, names, too_short, filter, longest }
    }

    /// Secrets whose values are too short to be told from ordinary text. Output that may hold one must not be shown.
    pub fn too_short(&self) -> &[String] {
        &self.too_short
    }

    /// Every value in these bytes, in order; where several begin, the longest.
    pub fn find<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Hit<'a>> {
        (0..text.len()).filter_map(move |start| {
            let found = self.longest_at(&text[start..])?;
            let (name, encoding) = (self.name(found.name), found.encoding);
            Some(Hit { start, end: start + found.length, name, encoding })
        })
    }

    pub(crate) fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("", String::as_str)
    }

    /// So many bytes must be there before it is certain what begins at the first. Line breaks inside a value, as tools
    /// put them into base64, count too.
    pub(crate) fn reach(&self) -> usize {
        self.longest * 2
    }

    /// The longest value that begins here, with or without line breaks in it.
    pub(crate) fn longest_at(&self, text: &[u8]) -> Option<Match> {
        let whole = &text[..text.len().min(self.reach())];
        // Nearly every position ends here.
        let head = whole.get(..SHORTEST)?;
        let broken = head.iter().any(|byte| is_break(*byte));
        if !broken && !self.filter.may_have(head) {
            return None;
        }
        let direct = self.lookup(whole);
        if is_break(whole[0]) || !whole.iter().take(self.reach()).any(|byte| is_break(*byte)) {
            return direct;
        }
        let mut joined = Zeroizing::new(Vec::with_capacity(whole.len()));
        joined.extend(whole.iter().filter(|byte| !is_break(**byte)));
        let unbroken = self.lookup(&joined).map(|found| {
            // Back to where the last of its bytes stands.
            let last = whole.iter().enumerate().filter(|(_, byte)| !is_break(**byte)).nth(found.length - 1);
            Match { length: last.map_or(found.length, |(at, _)| at + 1), ..found }
        });
        [direct, unbroken].into_iter().flatten().max_by_key(|found| found.length)
    }

    /// The longest pattern that these bytes begin with.
    fn lookup(&self, text: &[u8]) -> Option<Match> {
        let head = text.get(..SHORTEST)?;
        if !self.filter.may_have(head) {
            return None;
        }
        // The last pattern not behind the text in order: it, or one it begins with, or none.
        let after = self.sorted.partition_point(|pattern| self.bytes_of(pattern) <= text);
        let mut candidate = after.checked_sub(1);
        while let Some(pattern) = candidate.and_then(|at| self.sorted.get(at)) {
            if text.starts_with(self.bytes_of(pattern)) {
                return Some(Match {
                    length: pattern.length,
                    name: pattern.name,
                    encoding: pattern.encoding,
                });
            }
            candidate = pattern.shorter;
        }
        None
    }

    fn bytes_of(&self, pattern: &Pattern) -> &[u8] {
        &self.bytes[pattern.start..pattern.start + pattern.length]
    }
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Pieces of nearly the same length, so that none is too short to be looked for.
fn pieces(form: &[u8]) -> impl Iterator<Item = &[u8]> {
    let count = form.len().div_ceil(LONGEST).max(1);
    form.chunks(form.len().div_ceil(count).max(1)).filter(|piece| piece.len() >= SHORTEST)
}

/// Says of four bytes that no pattern begins with them, or that one may.
struct Filter {
    bits: Vec<u64>,
}

impl Filter {
    fn new(patterns: usize) -> Filter {
        Filter { bits: vec![0; (patterns / 2).next_power_of_two().clamp(64, 1 << 16)] }
    }

    fn place(&self, head: &[u8]) -> (usize, u64) {
        let number = head.iter().take(SHORTEST).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let word = usize::try_from(mixed >> 6).unwrap_or_default() & (self.bits.len() - 1);
        (word, 1 << (mixed & 63))
    }

    fn insert(&mut self, head: &[u8]) {
        let (word, bit) = self.place(head);
        self.bits[word] |= bit;
    }

    fn may_have(&self, head: &[u8]) -> bool {
        let (word, bit) = self.place(head);
        self.bits[word] & bit != 0
    }
}

impl Drop for Filter {
    fn drop(&mut self) {
        self.bits.zeroize();
    }
}
