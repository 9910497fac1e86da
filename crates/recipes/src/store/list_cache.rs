//! The bodies of whole lists, kept with their revisions: an unchanged list is not read again.

use crate::id::FamilyId;
use crate::listing::{Listing, Revision};

/// How many are kept.
const KEPT: usize = 8;

/// A list larger than this is not kept.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Whole lists by family (`None` for all), newest last.
#[derive(Debug, Default)]
pub(super) struct ListCache(Vec<(Option<FamilyId>, Listing)>);

impl ListCache {
    /// The list of this revision, if it is here.
    pub(super) fn get(&self, family: Option<FamilyId>, now: Revision) -> Option<Listing> {
        let same = |(of, kept): &&(Option<FamilyId>, Listing)| *of == family && kept.revision == now;
        self.0.iter().find(same).map(|(_, listing)| listing.clone())
    }

    /// Keeps a list in place of the one before.
    pub(super) fn put(&mut self, family: Option<FamilyId>, listing: Listing) {
        self.0.retain(|(of, _)| *of != family);
        if listing.json.len() > MOST_BYTES {
            return;
        }
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((family, listing));
    }
}
