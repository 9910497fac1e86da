//! The one thread that writes. Everything that waits goes into one transaction and is answered after its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::error::Error;

use super::locked;

/// Writes that share a commit at most: the first of them should not wait long for the last.
const MOST_TOGETHER: usize = 256;

/// Does its work in a savepoint, and gives what to do once it is known whether the commit succeeded.
type Job = Box<dyn FnOnce(&Mutex<Connection>) -> Acknowledge + Send>;
type Acknowledge = Box<dyn FnOnce(&Result<(), String>)>;

#[derive(Debug)]
pub(super) struct Writer {
    jobs: Sender<Job>,
}

impl Writer {
    pub(super) fn start(connection: Mutex<Connection>) -> Result<Writer, Error> {
        let (jobs, waiting) = channel();
        thread::Builder::new()
            .name("recipes-writer".to_owned())
            .spawn(move || run(&connection, &waiting))
            .map_err(|error| Error::unavailable(format!("cannot start a thread: {error}")))?;
        Ok(Writer { jobs })
    }

    /// Does `work` in the next transaction. If it fails, nothing of it stays; the others are not touched.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Mutex<Connection>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = in_savepoint(connection, work);
            Box::new(move |commit: &Result<(), String>| {
                // Nobody may be waiting any more; then it is done all the same.
                let _ = answer.send(match commit {
                    Ok(()) => result,
                    Err(reason) => result.and_then(|_| Err(Error::unavailable(reason))),
                });
            })
        });
        self.jobs.send(job).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

fn gone() -> Error {
    Error::unavailable("the writer ended; start the program again")
}

fn run(connection: &Mutex<Connection>, waiting: &Receiver<Job>) {
    while let Ok(first) = waiting.recv() {
        let mut acknowledgements = Vec::new();
        let commit = together(connection, first, waiting, &mut acknowledgements);
        if commit.is_err() && !locked(connection).is_autocommit() {
            let _ = locked(connection).execute_batch("ROLLBACK");
        }
        for acknowledge in acknowledgements {
            acknowledge(&commit);
        }
    }
}

/// Runs the first job and all that wait by then. What was run is in `acknowledgements`, whatever the commit says.
fn together(
    connection: &Mutex<Connection>,
    first: Job,
    waiting: &Receiver<Job>,
    acknowledgements: &mut Vec<Acknowledge>,
) -> Result<(), String> {
    let begun = locked(connection).execute_batch("BEGIN IMMEDIATE").map_err(reason);
    let mut next = Some(first);
    while let Some(job) = next {
        acknowledgements.push(job(connection));
        // A full disk ends the transaction by itself: then nothing that was done in it counts.
        let goes_on = !locked(connection).is_autocommit() && acknowledgements.len() < MOST_TOGETHER;
        next = if goes_on { waiting.try_recv().ok() } else { None };
    }
    begun?;
    if locked(connection).is_autocommit() {
        return Err("the transaction was rolled back; try again".to_owned());
    }
    locked(connection).execute_batch("COMMIT").map_err(reason)
}

/// What everybody in a transaction is told, who each make an error of it.
fn reason(error: rusqlite::Error) -> String {
    match Error::from(error) {
        Error::Unavailable { reason } => reason,
        other => other.to_string(),
    }
}

fn in_savepoint<T>(
    connection: &Mutex<Connection>,
    work: impl FnOnce(&Mutex<Connection>) -> Result<T, Error>,
) -> Result<T, Error> {
    if locked(connection).is_autocommit() {
        return Err(Error::unavailable(
            "no transaction could be begun; another process is writing: try again",
        ));
    }
    locked(connection).prepare_cached("SAVEPOINT one")?.execute([])?;
    let done = catch_unwind(AssertUnwindSafe(|| work(connection)))
        .unwrap_or_else(|_| Err(Error::unavailable("the write broke down; nothing of it was kept")));
    if locked(connection).is_autocommit() {
        return done;
    }
    let end = if done.is_err() { "ROLLBACK TO one; RELEASE one" } else { "RELEASE one" };
    // Its own statement, so that the lock is free again.
    let ended = locked(connection).execute_batch(end);
    if let Err(error) = ended {
        // Nobody knows what of this write is left in the transaction, so nothing of the transaction may be kept.
        let _ = locked(connection).execute_batch("ROLLBACK");
        return Err(error.into());
    }
    done
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use rusqlite::Connection;

    use super::{Writer, locked};
    use crate::error::Error;

    /// Whoever ends the savepoint it runs in cannot be undone alone, so nothing of the transaction stays.
    #[tokio::test]
    async fn what_cannot_be_undone_alone_is_undone_with_its_transaction() {
        let connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch("CREATE TABLE kept (number)").expect("a table");
        let writer = Writer::start(Mutex::new(connection)).expect("a thread");
        let broken = writer.write(|connection| -> Result<(), Error> {
            locked(connection).execute_batch("INSERT INTO kept VALUES (1); RELEASE one")?;
            Err(Error::unavailable("no"))
        });
        assert!(broken.await.is_err());
        writer
            .write(|connection| Ok(locked(connection).execute("INSERT INTO kept VALUES (2)", [])?))
            .await
            .expect("kept");
        let sum = writer.write(|connection| {
            Ok(locked(connection)
                .query_row("SELECT sum(number) FROM kept", [], |row| row.get::<_, i64>(0))?)
        });
        assert_eq!(sum.await.expect("a sum"), 2);
    }
}
