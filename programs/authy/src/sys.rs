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
    CLOSE, Listener, Mode, Stream, Terminal, check_peer, close_socket, detach, editing, editor, in_memory,
    open_claim, open_descriptor, run_instead, signal_of, value, variable_bytes, variables,
};

/// How a terminal gives what is typed. It shows nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typing {
    /// As lines.
    Lines,
    /// Every key as it is pressed, those that were pressed before among them.
    Keys,
    /// Every key that is pressed from now on; a read comes back after a second without one.
    NewKeys,
}
