//! Everything out, everything in.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::auth::Scope;
use crate::error::Error;
use crate::record::{OnConflict, Record, Restored, Source};
use crate::store::Answer;

/// Records as they are read, from one moment of the store. Dropping it stops the reading.
pub type Records = mpsc::Receiver<Result<Record, Error>>;

/// Records that wait for whoever reads them. Each may be a photo of megabytes.
pub(super) const WAITING: usize = 4;

/// Moves what is kept between engines and into backups.
pub trait Transfer {
    /// Everything in reach.
    fn export<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Records>;

    /// Writes records, all or none. A scope of one family takes them into it, whatever family they name; one of every
    /// family keeps theirs.
    fn restore<'a>(
        &'a self,
        scope: &'a Scope,
        records: Arc<dyn Source>,
        on_conflict: OnConflict,
    ) -> Answer<'a, Restored>;

    /// Copies the whole database into a new file. Takes every family in reach.
    fn backup<'a>(&'a self, scope: &'a Scope, to: &'a Path) -> Answer<'a, ()>;
}
