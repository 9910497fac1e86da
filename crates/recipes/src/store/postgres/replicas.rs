//! Replicas, and what this process has seen of each family: who wrote something reads it again, wherever that is.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::id::FamilyId;

use super::pool::Pool;

/// Families share places by chance; one that does may be read from the primary without need, and never too early.
const PLACES: usize = 16_384;

#[derive(Debug)]
pub(super) struct Replicas {
    pools: Vec<Pool>,
    turn: AtomicUsize,
}

impl Replicas {
    pub(super) fn new(pools: Vec<Pool>) -> Replicas {
        Replicas { pools, turn: AtomicUsize::new(0) }
    }

    /// Whether there are any.
    pub(super) fn are_there(&self) -> bool {
        !self.pools.is_empty()
    }

    /// They take turns.
    pub(super) fn next(&self) -> Option<&Pool> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        self.pools.get(turn.checked_rem(self.pools.len())?)
    }
}

/// The newest revisions this process has seen.
#[derive(Debug)]
pub(super) struct Seen(Box<[AtomicI64]>);

impl Default for Seen {
    fn default() -> Seen {
        Seen((0..PLACES).map(|_| AtomicI64::new(i64::MIN)).collect())
    }
}

impl Seen {
    fn place(&self, family: FamilyId) -> Option<&AtomicI64> {
        // The last bytes of an id are random.
        let bytes = family.as_bytes();
        self.0.get(usize::from(u16::from_le_bytes([bytes[14], bytes[15]])) % PLACES)
    }

    /// Notes what was written or read.
    pub(super) fn note(&self, touched: &[(FamilyId, i64)]) {
        for (family, revision) in touched {
            if let Some(place) = self.place(*family) {
                place.fetch_max(*revision, Ordering::Relaxed);
            }
        }
    }

    /// Whether a database at this revision has everything we have seen.
    pub(super) fn is_in(&self, family: FamilyId, revision: i64) -> bool {
        self.place(family).is_some_and(|place| place.load(Ordering::Relaxed) <= revision)
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;
    use crate::id::FamilyId;

    #[test]
    fn a_database_behind_what_was_written_is_not_read() {
        let (seen, family) = (Seen::default(), FamilyId::new());
        assert!(seen.is_in(family, 1));
        seen.note(&[(family, 5), (family, 3)]);
        assert!(!seen.is_in(family, 4) && seen.is_in(family, 5));
    }
}
