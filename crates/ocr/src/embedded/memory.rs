//! Lines read before: on the next screenshot most are the same, pixel for pixel.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};

use super::ctc::Reading;
use super::lengths::{pixels, whole};
use super::refine::Region;
use super::scripts::Spelling;
use crate::Image;

/// Some twenty full screens; a few hundred bytes each.
const MOST: usize = 4_096;

/// Whether an engine remembers the lines it read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// A line whose pixels were read before is not read again. At most some thousand lines are kept.
    #[default]
    Kept,
    /// Every line is read.
    Off,
}

/// The pixels of a line, as good as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(u64, u64);

/// Readings by the pixels they come from.
#[derive(Default)]
pub(super) struct Lines {
    // Keys nobody outside can foresee, so nobody can make two lines look the same to us.
    hashers: (RandomState, RandomState),
    known: Mutex<Generations>,
}

/// Two halves: when the young one is full it becomes the old one, and what nobody asked for since is forgotten.
#[derive(Default)]
struct Generations {
    young: HashMap<Key, Reading>,
    old: HashMap<Key, Reading>,
}

impl Lines {
    /// The key of what stands in a region.
    pub(super) fn key(&self, image: Image<'_>, region: &Region, spelling: &Spelling) -> Key {
        let digest = |state: &RandomState| {
            let mut hasher = state.build_hasher();
            // The edges as fractions too: they decide where the network sees a pixel.
            for edge in [
                region.right - region.left,
                region.bottom - region.top,
                region.left.fract(),
                region.top.fract(),
            ] {
                hasher.write_u32(edge.to_bits());
            }
            spelling.hash(&mut hasher);
            let whole = |edge: f32| pixels(whole(edge));
            let right = (whole(region.right.ceil()) + 1).min(image.width());
            let bottom = (whole(region.bottom.ceil()) + 1).min(image.height());
            let left = whole(region.left).saturating_sub(1).min(right);
            for y in whole(region.top).saturating_sub(1).min(bottom)..bottom {
                hasher.write(image.row(y, left, right));
            }
            hasher.finish()
        };
        Key(digest(&self.hashers.0), digest(&self.hashers.1))
    }

    /// What was read there before.
    pub(super) fn recall(&self, key: Key) -> Option<Reading> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reading) = known.young.get(&key) {
            return Some(reading.clone());
        }
        let reading = known.old.remove(&key)?;
        known.keep(key, reading.clone());
        Some(reading)
    }

    /// Forgets everything.
    pub(super) fn forget(&self) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Generations::default();
    }

    /// Remembers what was read.
    pub(super) fn keep(&self, key: Key, reading: Reading) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).keep(key, reading);
    }
}

impl Generations {
    fn keep(&mut self, key: Key, reading: Reading) {
        if self.young.len() >= MOST / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, reading);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGION: Region = Region { left: 1.0, top: 1.0, right: 3.0, bottom: 3.0 };

    #[test]
    fn other_pixels_and_other_languages_are_other_lines() {
        let lines = Lines::default();
        let mut bytes = [0; 4 * 4 * 3];
        let key = |bytes: &[u8], languages: &str| {
            let spelling = Spelling::of(&languages.parse().unwrap());
            lines.key(Image::rgb(4, 4, bytes).unwrap(), &REGION, &spelling)
        };
        let first = key(&bytes, "eng");
        assert_eq!(first, key(&bytes, "eng"));
        assert_ne!(first, key(&bytes, "jpn"));
        assert_ne!(first, key(&bytes, "deu"));
        bytes[3 * (4 + 1)] = 1;
        assert_ne!(first, key(&bytes, "eng"));
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let lines = Lines::default();
        let reading = Reading { steps: 7, ..Reading::default() };
        lines.keep(Key(0, 0), reading.clone());
        for number in 1..=2 * MOST as u64 {
            lines.keep(Key(number, 0), Reading::default());
            assert_eq!(lines.recall(Key(0, 0)), Some(reading.clone()));
        }
        assert_eq!(lines.recall(Key(1, 0)), None);
        {
            let known = lines.known.lock().unwrap();
            assert!(known.young.len() + known.old.len() <= MOST);
        }
        lines.forget();
        assert_eq!(lines.recall(Key(0, 0)), None);
    }
}
