//! What differs between operating systems: one module for each, with the same items.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(target_os = "linux")]
mod private;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::harden_process;
pub(crate) use system::{
    Fence, Group, TEMPORARY, USUAL_PATH, WHY_NOT, belongs_to_administrator, check_private, exited,
    is_administrator, is_executable, is_our_folder, keep_out_of_swap, make_folder, open_lock, open_unlinked,
    open_waiting_for_nobody, others_can_change, others_can_replace, prepare, signal_of, state_folder,
    variable_value,
};

/// What a rule lets a command do besides.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there is nothing to fence with"))]
pub(crate) struct Open<'a> {
    pub(crate) reads: Vec<PathBuf>,
    pub(crate) writes: &'a [PathBuf],
    pub(crate) network: bool,
}

/// Why a file is not for this user alone.
pub(crate) enum NotPrivate {
    /// It belongs to somebody else.
    Foreign(String),
    /// Others can use it.
    Loose { found: String, remedy: &'static str },
}

/// Whether others can be kept from replacing what is in a folder by its sticky bit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StickyBit {
    Helps,
    Not,
}
