//! The threads that run what does not answer at once, started when the first such request comes.

use std::future::Future;
use std::io;
use std::sync::Mutex;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

use crate::lock::unpoisoned;

/// Blocking handlers are bounded by their servers; this is the bound for all of them together.
const MAX_BLOCKING_THREADS: usize = 64;

/// Enough to keep one busy handler from holding up the others; more only costs memory.
const MAX_THREADS: usize = 4;

/// A runtime of our own, or the one we are called in.
pub(crate) enum Workers {
    Own(Mutex<Option<Runtime>>),
    /// The HTTP transport, and streams, live in somebody's runtime.
    Shared(Handle),
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
                match &*slot {
                    Some(runtime) => Ok(runtime.handle().clone()),
                    None => Ok(slot.insert(start()?).handle().clone()),
                }
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

impl Drop for Workers {
    fn drop(&mut self) {
        if let Workers::Own(slot) = self
            && let Some(runtime) = unpoisoned(slot.get_mut()).take()
        {
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
