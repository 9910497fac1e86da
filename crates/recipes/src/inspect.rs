//! Looks at a cookbook without changing it: where it is, and which schema it has.

use std::time::Duration;

use crate::config::Source;
use crate::error::Error;
use crate::store::{Postgres, sqlite};

/// A server that takes longer does not answer.
const PATIENCE: Duration = Duration::from_secs(8);

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inspected {
    /// There is no database yet.
    Nothing {
        /// Where it will be.
        place: String,
    },
    /// A database.
    Schema {
        /// Where it is.
        place: String,
        /// How many migrations it has.
        applied: usize,
        /// How many this program has.
        known: usize,
    },
    /// Something of another machine that answers.
    Reachable {
        /// Where it is.
        place: String,
    },
}

/// Looks at the cookbook of this source. A schema that this program cannot use is an error.
pub async fn inspect(source: &Source) -> Result<Inspected, Error> {
    match source {
        Source::Sqlite(place) => {
            let path = place.file();
            let shown = format!("`{}`", path.display());
            Ok(match sqlite::inspect(&path)? {
                None => Inspected::Nothing { place: shown },
                Some((applied, known)) => Inspected::Schema { place: shown, applied, known },
            })
        }
        Source::Postgres { url, replicas } => {
            let store = Postgres::new(url, replicas)?;
            let asked = tokio::time::timeout(PATIENCE, store.inspect()).await;
            let (applied, known) = asked.map_err(|_| {
                let seconds = PATIENCE.as_secs();
                Error::unavailable(format!(
                    "the PostgreSQL server did not answer within {seconds} seconds; check `DATABASE_URL`"
                ))
            })??;
            Ok(Inspected::Schema { place: "on a PostgreSQL server".to_owned(), applied, known })
        }
        Source::Api { base_url, .. } => {
            Ok(Inspected::Reachable { place: format!("behind the API at {base_url}; not looked at") })
        }
    }
}
