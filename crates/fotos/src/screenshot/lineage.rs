//! What a screenshot was made of: all the way back, since those in between may be deleted while the first still shows the same.

use uuid::Uuid;

use super::Screenshot;

/// Longer than anybody makes pictures of pictures.
const MOST: usize = 1_000;

/// What a screenshot was made of, the nearest first, and the generation each had when it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lineage {
    sources: Vec<(Uuid, u64)>,
}

impl Lineage {
    /// These, none of which was rewritten yet.
    pub(crate) fn begun(ids: Vec<Uuid>) -> Lineage {
        Lineage { sources: ids.into_iter().take(MOST).map(|id| (id, 0)).collect() }
    }

    /// That of a picture made of a picture of this lineage.
    pub(crate) fn followed_by(&self, id: Uuid, generation: u64) -> Lineage {
        let mut sources = Vec::with_capacity(self.sources.len() + 1);
        sources.push((id, generation));
        sources.extend_from_slice(&self.sources);
        // The first of all is what was on the screen: it stays.
        if sources.len() > MOST {
            sources.remove(MOST - 1);
        }
        Lineage { sources }
    }

    /// The nearest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Uuid> {
        self.sources.iter().map(|(id, _)| *id)
    }
}

impl Screenshot {
    /// What it was made of.
    pub fn parent(&self) -> Option<Uuid> {
        self.lineage.ids().next()
    }

    /// All it was made of, the nearest first.
    pub(crate) fn made_of(&self) -> impl Iterator<Item = Uuid> {
        self.lineage.ids()
    }

    /// Whether it shows what a redaction covered: it was made of a picture before that was rewritten.
    pub(crate) fn is_outdated(&self, generation_of: impl Fn(Uuid) -> Option<u64>) -> bool {
        self.lineage.sources.iter().any(|(id, read)| generation_of(*id).is_some_and(|now| now > *read))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{Lineage, MOST};

    #[test]
    fn the_first_and_the_nearest_are_never_forgotten() {
        let first = Uuid::new_v4();
        let mut lineage = Lineage::begun(vec![first]);
        let mut last = first;
        for _ in 0..MOST + 5 {
            last = Uuid::new_v4();
            lineage = lineage.followed_by(last, 3);
        }
        let ids: Vec<Uuid> = lineage.ids().collect();
        assert_eq!((ids.len(), ids[0], ids[MOST - 1]), (MOST, last, first));
    }
}
