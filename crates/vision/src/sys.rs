//! What differs between operating systems: one module for each, with the same items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

#[cfg(feature = "pdf")]
pub(crate) use system::confine;
pub(crate) use system::{FFMPEG, Kept, environment, folder_for, is_executable};
