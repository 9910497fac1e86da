//! What differs between operating systems: one module for each, with the same items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

#[cfg(test)]
pub(crate) use system::link;
pub(crate) use system::{create, read_exact_at, write_all_at};
