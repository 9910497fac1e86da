//! The threads that run what does not answer at once, started when the first such request comes.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, Weak};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

use crate::lock::unpoisoned;

/// Blocking handlers are bounded by their servers; this is the bound for all of them together.
const MAX_BLOCKING_THREADS: usize = 64;

/// Enough to keep one busy handler from holding up the others; more only costs memory.
const MAX_THREADS: usize = 4;

/// A runtime of our own, or the one we are called in.
pub(crate) enum Workers {
    Own(Mutex<Option<Arc<Threads>>>),
    /// The HTTP transport, and streams, live in somebody's runtime.
    Shared(Handle),
}

/// The runtime of this process, as long as anybody needs it. A request and the connection it is relayed on are then on the
/// same threads: an answer wakes nobody.
static THREADS: Mutex<Weak<Threads>> = Mutex::new(Weak::new());

pub(crate) struct Threads {
    handle: Handle,
    /// There until it is dropped.
    runtime: Option<Runtime>,
}

impl Workers {
    pub(crate) fn own() -> Workers {
        Workers::Own(Mutex::new(None))
    }

    pub(crate) fn handle(&self) -> io::Result<Handle> {
        match self {
            Workers::Shared(handle) => Ok(handle.clone()),
            Workers::Own(slot) => {
                let mut slot = unpoisoned(slot.lock());
                let threads = match &mut *slot {
                    Some(threads) => threads,
                    None => slot.insert(Threads::of_process()?),
                };
                Ok(threads.handle.clone())
            }
        }
    }

    pub(crate) fn spawn<F>(&self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        Ok(self.handle()?.spawn(future))
    }
}

impl Threads {
    fn of_process() -> io::Result<Arc<Threads>> {
        let mut shared = unpoisoned(THREADS.lock());
        if let Some(threads) = shared.upgrade() {
            return Ok(threads);
        }
        let runtime = start()?;
        let threads = Arc::new(Threads { handle: runtime.handle().clone(), runtime: Some(runtime) });
        *shared = Arc::downgrade(&threads);
        Ok(threads)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting for a thread that hangs in a file system would keep the process alive for ever.
            runtime.shutdown_background();
        }
    }
}

fn start() -> io::Result<Runtime> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    Builder::new_multi_thread()
        .worker_threads(threads)
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .thread_name("mcp")
        .enable_all()
        .build()
}
