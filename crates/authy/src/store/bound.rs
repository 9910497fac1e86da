//! How much a statement may give: pages that somebody made to lead back to each other give the same rows for ever.

use std::fs;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::{Store, companions};
use crate::error::Result;

/// More than a transaction keeps in memory before it writes to the file.
const UNWRITTEN: u64 = 32 << 20;

/// Counts what a statement gives.
pub(super) struct Bound<'a> {
    store: &'a Store,
    given: u64,
    most: u64,
}

impl<'a> Bound<'a> {
    pub(super) fn new(store: &'a Store) -> Bound<'a> {
        Bound { store, given: 0, most: UNWRITTEN }
    }

    /// Counts a row. No statement of ours gives one twice, so all that is given is in the file, or not written yet.
    pub(super) fn count(&mut self, row: &Row<'_>) -> Result<()> {
        // Numbers take some bytes, too.
        self.given += 4;
        for column in 0..row.as_ref().column_count() {
            if let Ok(ValueRef::Blob(bytes) | ValueRef::Text(bytes)) = row.get_ref(column) {
                self.given += bytes.len() as u64;
            }
        }
        if self.given > self.most {
            self.most = UNWRITTEN + size(self.store);
        }
        if self.given > self.most { Err(self.store.damaged("its pages lead in circles")) } else { Ok(()) }
    }
}

/// The bytes there are of a database, with those that wait beside it.
fn size(store: &Store) -> u64 {
    let files = companions(&store.path).chain([store.path.clone()]);
    files.filter_map(|file| fs::metadata(file).ok()).map(|about| about.len()).sum()
}
