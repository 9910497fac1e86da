//! Load and server on one processor. Where each request waits for the last reply nothing can run side by side,
//! and between two processors one would mostly time how the machine (often a virtual one) wakes the other.

use std::fs;

use rustix::{
    io::Errno,
    thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity},
};

use crate::Result;

/// Both are free again when this is dropped.
pub(crate) struct OneCore {
    server: u32,
    before: CpuSet,
}

impl OneCore {
    pub(crate) fn share(server: u32) -> Result<Self> {
        let before = sched_getaffinity(None)?;
        let core =
            (0..CpuSet::MAX_CPU).rev().find(|&core| before.is_set(core)).ok_or("no processor to run on")?;
        let mut only = CpuSet::new();
        only.set(core);
        let shared = Self { server, before };
        place(server, &only)?;
        Ok(shared)
    }
}

impl Drop for OneCore {
    fn drop(&mut self) {
        // It fails only if the server is gone, and then the measurement has failed already.
        let _ = place(self.server, &self.before);
    }
}

/// Every thread of the server, and our own; threads started later inherit it.
fn place(server: u32, cores: &CpuSet) -> Result<()> {
    sched_setaffinity(None, cores)?;
    for task in fs::read_dir(format!("/proc/{server}/task"))? {
        let thread = task?.file_name().to_string_lossy().parse()?;
        match sched_setaffinity(Pid::from_raw(thread), cores) {
            // A thread that has just ended needs no place.
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
