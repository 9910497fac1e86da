//! What differs between operating systems: one module for each, with the same items.

// Its rules are plain text, so they are tested everywhere.
#[cfg(any(windows, test))]
mod drives;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

#[cfg(windows)]
pub use windows::account;

#[cfg(test)]
pub(crate) use system::link;
pub(crate) use system::{
    Folder, Held, Id, KEEPS_OPEN, ROOT, SEPARATORS, Stat, check_writable, close_file_to_others,
    close_to_others, copy_access, copy_all, create_private, decode_path, encode_path, entries, home_folder,
    is_open_to_others, is_own, is_own_path, is_special, lock, make_private, may_be_touched, open_or_create,
    open_to_change, open_to_read, open_to_write, real_path, set_modified, stat, stat_at, state_folder,
    sync_folder, take_turn, try_lock, unlock, unnamed, write_back,
};

/// Whether only this user can use what is at a path.
#[cfg(test)]
pub(crate) fn is_private(path: &std::path::Path) -> bool {
    !is_open_to_others(path).expect("it is there")
}

/// Why a file is not ours yet.
pub(crate) enum NotYet {
    /// Somebody else has it.
    Busy,
    /// Whoever had it put another one in its place.
    #[cfg_attr(windows, allow(dead_code, reason = "there, the name is locked and not the file"))]
    Replaced,
}

/// Something in a folder that is neither a link nor special.
pub(crate) struct Entry {
    pub(crate) name: std::ffi::OsString,
    pub(crate) is_folder: bool,
}

/// Why a folder's entries cannot be had.
pub(crate) enum EntriesError {
    TooMany,
    Io(std::io::Error),
}

impl From<std::io::Error> for EntriesError {
    fn from(error: std::io::Error) -> EntriesError {
        EntriesError::Io(error)
    }
}
