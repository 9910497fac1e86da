//! A server process that cannot hang the measurement: every wait on it has an end.

use std::{
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use crate::{
    Result,
    affinity::OneCore,
    probe::{self, Memory},
};

/// How long a measurement may take beyond its span before the server counts as hung.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Killed when dropped.
pub(crate) struct Server {
    pid: u32,
    child: Arc<Mutex<Child>>,
    watchdog: mpsc::Sender<Watch>,
    killed: Arc<AtomicBool>,
}

enum Watch {
    Start(Duration),
    Stop,
}

impl Server {
    /// Starts the command with these standard streams and lets `take` have the parent's ends.
    pub(crate) fn start<T>(
        command: &str,
        streams: fn() -> Stdio,
        take: impl FnOnce(&mut Child) -> Result<T>,
    ) -> Result<(Self, T)> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("an empty command")?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(streams())
            .stdout(streams())
            .spawn()
            .map_err(|error| format!("cannot start `{command}`: {error}"))?;
        let pid = child.id();
        let taken = take(&mut child)?;
        let (child, killed) = (Arc::new(Mutex::new(child)), Arc::new(AtomicBool::new(false)));
        let (watchdog, orders) = mpsc::channel();
        let (watched, barked) = (Arc::clone(&child), Arc::clone(&killed));
        // Killing the server ends the read or write we are stuck in, so the hot loops need no timeouts of
        // their own, which would cost a system call each time.
        thread::spawn(move || {
            while let Ok(order) = orders.recv() {
                let Watch::Start(limit) = order else { continue };
                if let Err(mpsc::RecvTimeoutError::Timeout) = orders.recv_timeout(limit) {
                    barked.store(true, Ordering::SeqCst);
                    // It fails only if the server is gone already.
                    let _ = watched.lock().unwrap_or_else(PoisonError::into_inner).kill();
                }
            }
        });
        Ok((Self { pid, child, watchdog, killed }, taken))
    }

    /// Runs `work`, and kills the server if that takes too long.
    pub(crate) fn within<T>(
        &self,
        limit: Duration,
        what: &str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        self.watchdog.send(Watch::Start(limit))?;
        let outcome = work();
        self.watchdog.send(Watch::Stop)?;
        outcome.map_err(|error| {
            if self.killed.load(Ordering::SeqCst) {
                format!("{what}: not done after {limit:?}, so the server was killed").into()
            } else {
                format!("{what}: {error}").into()
            }
        })
    }

    pub(crate) fn cpu_time(&self) -> Result<Duration> {
        probe::cpu_time(self.pid)
    }

    pub(crate) fn memory_kib(&self, memory: Memory) -> Result<f64> {
        probe::memory_kib(self.pid, memory)
    }

    /// Keeps this server and our own thread on one processor as long as the answer lives.
    pub(crate) fn share_one_core(&self) -> Result<OneCore> {
        OneCore::share(self.pid)
    }

    pub(crate) fn binary_bytes(&self) -> Result<f64> {
        probe::binary_bytes(self.pid)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // It fails only if the server is gone already.
        let _ = child.kill();
        let _ = child.wait();
    }
}
