//! What differs between operating systems: one module for each, with the same items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{
    asked_to_end, can_show_tray, has_display, has_global_shortcuts, has_tray, read_clipboard, tell,
};
