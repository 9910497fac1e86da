//! What differs between operating systems: one module for each, with the same items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{Signals, connect, take_stdio};
