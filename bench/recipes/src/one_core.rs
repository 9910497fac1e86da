//! Work on one processor: there, the processor time of a short call is that of the call alone. On several, much of it is the
//! waking of one processor by another, which on a virtual machine takes longer than a read.

use std::fs;
use std::process::{Command, Stdio};

use crate::Result;

/// Does something while this program and these processes share one processor.
pub(crate) fn on_one_core<T>(processes: &[u32], work: impl FnOnce() -> Result<T>) -> Result<T> {
    let status = fs::read_to_string("/proc/self/status")?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let allowed = allowed.ok_or("the kernel does not say which processors there are")?.trim();
    let first: String = allowed.chars().take_while(char::is_ascii_digit).collect();
    let everyone = || processes.iter().copied().chain([std::process::id()]);
    everyone().try_for_each(|process| keep_on(process, &first))?;
    let done = work();
    everyone().try_for_each(|process| keep_on(process, allowed))?;
    done
}

/// Has all threads of a process run on these processors.
fn keep_on(process: u32, processors: &str) -> Result<()> {
    let done = Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", processors, &process.to_string()])
        .stdout(Stdio::null())
        .status()?;
    if done.success() { Ok(()) } else { Err(format!("`taskset` ended with {done}").into()) }
}
