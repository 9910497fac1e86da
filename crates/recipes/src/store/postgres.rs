//! PostgreSQL, for those who outgrow one machine: a primary that is written to, and replicas to read from.
//!
//! Every call is one transaction, in the role of its scope: row-level security is a second wall behind the conditions of
//! the queries. A write takes the row of its family first, so writes of one family come one after the other, as with
//! SQLite: nobody is refused because of a neighbour, and nothing waits in a circle.

mod address;
mod connection;
mod pool;
mod replicas;
mod schema;
mod tls;
mod transaction;
mod transfer;
mod values;

use std::sync::Mutex;

use tokio::sync::OnceCell;

use crate::auth::Scope;
use crate::error::Error;
use crate::id::FamilyId;

use super::list_cache::ListCache;
use super::sql::{Engine, Failure, How, Sql, Work};
use super::{Answer, sight};

use connection::Sockets;
use pool::Pool;
use replicas::{Replicas, Seen};
pub(super) use transaction::Transaction;
use transaction::{Ended, Mode};

/// How often a transaction that lost against another is tried.
const ATTEMPTS: usize = 8;

/// A store on a PostgreSQL server. Nothing is opened before the first call.
#[derive(Debug)]
pub struct Postgres {
    primary: Pool,
    replicas: Replicas,
    seen: Seen,
    lists: Mutex<ListCache>,
    /// Whether the schema is what this program knows.
    migrated: OnceCell<()>,
}

impl Postgres {
    /// A store at this address, with replicas to read from.
    pub fn new(url: &str, replicas: &[String]) -> Result<Postgres, Error> {
        let sockets = Sockets::new();
        let replicas = replicas.iter().map(|url| Pool::new("DATABASE_REPLICAS", url, &sockets));
        Ok(Postgres {
            primary: Pool::new("DATABASE_URL", url, &sockets)?,
            replicas: Replicas::new(replicas.collect::<Result<_, Error>>()?),
            seen: Seen::default(),
            lists: Mutex::default(),
            migrated: OnceCell::new(),
        })
    }

    /// How many statements the primary was sent, besides those that begin and end transactions.
    pub fn statements(&self) -> u64 {
        self.primary.statements()
    }

    /// How many migrations the primary has, and how many there are. Nothing is changed.
    pub(crate) async fn inspect(&self) -> Result<(usize, usize), Error> {
        schema::inspect(&self.primary).await
    }

    /// The primary, with the schema of this program.
    async fn primary(&self) -> Result<&Pool, Error> {
        self.migrated.get_or_try_init(|| schema::migrate(&self.primary)).await?;
        Ok(&self.primary)
    }

    /// The answer of a replica; `None` if it is behind, or out of order.
    async fn read_there<A, T>(
        &self,
        (replica, family): (&Pool, FamilyId),
        scope: &Scope,
        what: A,
        work: Work<A, T>,
    ) -> Option<Result<T, Error>> {
        let transaction = Transaction::begin(replica, scope, Mode::Read).await.ok()?;
        let done = {
            let tx = Sql::Postgres(&transaction);
            match sight::revision(&tx, Some(family)).await {
                Ok(revision) if self.seen.is_in(family, revision) => {
                    // The next replica must not be further behind than this one.
                    self.seen.note(&[(family, revision)]);
                    Some(work(&tx, scope, what).await)
                }
                Ok(_) | Err(_) => None,
            }
        };
        let Some(done) = done else {
            let _ = transaction.end(Ok(())).await;
            return None;
        };
        if matches!(done, Err(Failure::Database(_))) {
            return None;
        }
        match transaction.end(done).await {
            Ended::Done(answer) => Some(answer),
            Ended::Lost(_) => None,
        }
    }

    async fn run_here<A: Clone, T>(
        &self,
        mode: Mode,
        scope: &Scope,
        what: A,
        work: Work<A, T>,
    ) -> Result<T, Error> {
        let primary = self.primary().await?;
        let mut lost = None;
        for _ in 0..ATTEMPTS {
            let transaction = Transaction::begin(primary, scope, mode).await?;
            let done = self.noted(&Sql::Postgres(&transaction), (mode, scope), what.clone(), work).await;
            let touched = transaction.touched();
            match transaction.end(done).await {
                Ended::Done(answer) => {
                    if answer.is_ok() {
                        self.seen.note(&touched);
                    }
                    return answer;
                }
                Ended::Lost(error) => lost = Some(error),
            }
        }
        Err(lost.map_or_else(|| Error::unavailable("try again"), Error::from))
    }

    /// Does the work, and notes at which revision it read, so that the next read from a replica does not go back.
    async fn noted<A, T>(
        &self,
        tx: &Sql<'_>,
        (mode, scope): (Mode, &Scope),
        what: A,
        work: Work<A, T>,
    ) -> Result<T, Failure> {
        if let (Mode::Read, Some(family), true) = (mode, scope.family(), self.replicas.are_there()) {
            let revision = sight::revision(tx, Some(family)).await?;
            self.seen.note(&[(family, revision)]);
        }
        work(tx, scope, what).await
    }
}

impl Engine for Postgres {
    fn run<'a, A, T>(&'a self, how: How, scope: &'a Scope, what: A, work: Work<A, T>) -> Answer<'a, T>
    where
        A: Clone + Send + Sync + 'static,
        T: Send + 'static,
    {
        Box::pin(async move {
            let mode = if how == How::Write { Mode::Write } else { Mode::Read };
            if matches!(how, How::Read | How::ReadLong)
                && let Some(family) = scope.family()
                && let Some(replica) = self.replicas.next()
                // Whatever is wrong with a replica, the primary is asked.
                && let Some(answer) = self.read_there((replica, family), scope, what.clone(), work).await
            {
                return answer;
            }
            self.run_here(mode, scope, what, work).await
        })
    }

    fn lists(&self) -> &Mutex<ListCache> {
        &self.lists
    }
}
