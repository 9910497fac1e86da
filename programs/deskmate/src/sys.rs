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
    FFMPEG, cache_folder, close_all_to_others, close_to_others, connect, free_bytes, give_back,
    is_writable_folder, look_at, make_writable, run_instead, tell_manager,
};
