//! Connections that read, and threads for reads that take long.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::error::Error;

use super::database::{Access, connect};

/// Connections kept for later; more may be open at a time.
const KEPT: usize = 8;

/// Threads for long reads. They take turns; short reads do not wait for them.
const THREADS: usize = 2;

type Job = Box<dyn FnOnce() + Send>;
type Idle = Arc<Mutex<Vec<Mutex<Connection>>>>;

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Idle,
    long: OnceLock<Sender<Job>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Readers {
        Readers { path, idle: Arc::default(), long: OnceLock::new() }
    }

    /// Reads here and now.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Mutex<Connection>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        read_with(&self.path, &self.idle, work)
    }

    /// Reads on a thread for it.
    pub(super) async fn read_long<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Mutex<Connection>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, answered) = oneshot::channel();
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        let job: Job = Box::new(move || {
            if !answer.is_closed() {
                let _ = answer.send(read_with(&path, &idle, work));
            }
        });
        self.long.get_or_init(start).send(job).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

fn gone() -> Error {
    Error::unavailable("the read broke down; try again")
}

fn read_with<T>(
    path: &std::path::Path,
    idle: &Idle,
    work: impl FnOnce(&Mutex<Connection>) -> Result<T, Error>,
) -> Result<T, Error> {
    let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let connection = kept.map_or_else(|| connect(path, Access::Read).map(Mutex::new), Ok)?;
    let result = work(&connection);
    let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.len() < KEPT {
        idle.push(connection);
    }
    result
}

/// Threads that end when the sender does. One that cannot be started leaves its work to the others.
fn start() -> Sender<Job> {
    let (jobs, waiting) = channel::<Job>();
    let waiting = Arc::new(Mutex::new(waiting));
    for number in 1..=THREADS {
        let waiting = Arc::clone(&waiting);
        let _ = thread::Builder::new().name(format!("recipes-reader-{number}")).spawn(move || run(&waiting));
    }
    jobs
}

fn run(waiting: &Mutex<Receiver<Job>>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        // A panic drops the sender of the answer, so the one who waits is told.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
    }
}
