//! PostgreSQL, for those who outgrow one machine: a primary that is written to, and replicas to read from.
//!
//! Every call is one transaction, in the role of its scope: row-level security is a second wall behind the conditions of
//! the queries. A write takes the row of its family first, so writes of one family come one after the other, as with
//! SQLite: nobody is refused because of a neighbour, and nothing waits in a circle.

mod address;
mod cards;
mod connection;
mod export;
mod families;
mod keys;
mod list;
mod meals;
mod photos;
mod pool;
mod recipes;
mod replicas;
mod restore;
mod row;
mod schema;
mod search;
mod sessions;
mod shares;
mod shopping;
mod sight;
mod signing_in;
mod tls;
mod transaction;
mod transfer;
mod values;

use std::sync::Mutex;

use tokio::sync::OnceCell;

use crate::auth::Scope;
use crate::error::Error;
use crate::id::FamilyId;
use crate::store::Answer;
use crate::store::list_cache::ListCache;

use connection::Sockets;
use pool::Pool;
use replicas::{Replicas, Seen};
use transaction::{Doing, Ended, Failure, Mode, Transaction};

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

    /// A read that must be of this moment: who somebody is, what a key opens.
    fn read_newest<'a, T: Send + 'a>(
        &'a self,
        scope: &'a Scope,
        work: impl for<'t> Fn(&'t Transaction<'a>) -> Doing<'t, T> + Send + Sync + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move { self.run(scope, Mode::Read, &work).await })
    }

    /// A read that may come from a replica, if that has everything this process has seen of the family.
    fn read<'a, T: Send + 'a>(
        &'a self,
        scope: &'a Scope,
        work: impl for<'t> Fn(&'t Transaction<'a>) -> Doing<'t, T> + Send + Sync + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            if let Some(family) = scope.family()
                && let Some(replica) = self.replicas.next()
            {
                // Whatever is wrong with a replica, the primary is asked.
                if let Some(answer) = self.read_there(replica, scope, family, &work).await {
                    return answer;
                }
            }
            self.run(scope, Mode::Read, &work).await
        })
    }

    /// The answer of a replica; `None` if it is behind, or out of order.
    async fn read_there<'a, T: Send + 'a>(
        &'a self,
        replica: &'a Pool,
        scope: &'a Scope,
        family: FamilyId,
        work: &(impl for<'t> Fn(&'t Transaction<'a>) -> Doing<'t, T> + Send + Sync + 'a),
    ) -> Option<Result<T, Error>> {
        let transaction = Transaction::begin(replica, scope, Mode::Read).await.ok()?;
        let revision = sight::revision(&transaction, Some(family)).await;
        let done = match revision {
            Ok(revision) if self.seen.is_in(family, revision) => {
                // The next replica must not be further behind than this one.
                self.seen.note(&[(family, revision)]);
                work(&transaction).await
            }
            Ok(_) | Err(_) => {
                let _ = transaction.end(Ok(())).await;
                return None;
            }
        };
        if matches!(done, Err(Failure::Database(_))) {
            return None;
        }
        match transaction.end(done).await {
            Ended::Done(answer) => Some(answer),
            Ended::Lost(_) => None,
        }
    }

    /// A write. It is done again when it lost against another transaction; so `work` may run more than once.
    fn write<'a, T: Send + 'a>(
        &'a self,
        scope: &'a Scope,
        work: impl for<'t> Fn(&'t Transaction<'a>) -> Doing<'t, T> + Send + Sync + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move { self.run(scope, Mode::Write, &work).await })
    }

    async fn run<'a, T: Send + 'a>(
        &'a self,
        scope: &'a Scope,
        mode: Mode,
        work: &(impl for<'t> Fn(&'t Transaction<'a>) -> Doing<'t, T> + Send + Sync + 'a),
    ) -> Result<T, Error> {
        let primary = self.primary().await?;
        let mut lost = None;
        for _ in 0..ATTEMPTS {
            let transaction = Transaction::begin(primary, scope, mode).await?;
            let done = self.noted(&transaction, scope, mode, work).await;
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
}

impl Postgres {
    /// Does the work, and notes at which revision it read, so that the next read from a replica does not go back.
    async fn noted<'a, 't, T: Send + 'a>(
        &'a self,
        transaction: &'t Transaction<'a>,
        scope: &'a Scope,
        mode: Mode,
        work: &(impl for<'w> Fn(&'w Transaction<'a>) -> Doing<'w, T> + Send + Sync + 'a),
    ) -> Result<T, Failure> {
        if let (Mode::Read, Some(family), true) = (mode, scope.family(), self.replicas.are_there()) {
            let revision = sight::revision(transaction, Some(family)).await?;
            self.seen.note(&[(family, revision)]);
        }
        work(transaction).await
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure {
            Failure::Refused(error) => error,
            Failure::Database(error) => error.into(),
        }
    }
}
