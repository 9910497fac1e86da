//! What differs between operating systems: one module for each, with the same items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::Listener;
pub(crate) use system::{address, real_path};
