//! What differs between operating systems: whose process is at the other end of a connection on this machine, and what tells a
//! process to stop. One module for each system, with the same items.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod other;
#[cfg(unix)]
mod signals;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(all(unix, not(target_os = "linux")))]
use other as system;
#[cfg(windows)]
use windows as system;

#[cfg(unix)]
pub(crate) use signals::on_signals;
#[cfg(windows)]
pub(crate) use windows::on_signals;

pub use system::IS_TOLD;
#[cfg(test)]
pub(crate) use system::WAYS;
pub(crate) use system::{Way, ourselves};
