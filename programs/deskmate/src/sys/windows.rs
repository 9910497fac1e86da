//! Windows: children, disks, access control lists, pipes.
#![allow(unsafe_code, reason = "a system call that has no safe form")]

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;
use windows_sys::Win32::Storage::FileSystem::{GetDiskFreeSpaceExW, SECURITY_IDENTIFICATION};

/// What the program that takes videos apart is called.
pub(crate) const FFMPEG: &str = "ffmpeg.exe";

/// Runs another program to its end, and ends as it does.
pub(crate) fn run_instead(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code().unwrap_or(1);
    Ok(u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// What this user may still write to the disk a folder is on.
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let name: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends in a zero, and the pointer leads to a place for the number; the others are not asked for.
    let told = unsafe {
        GetDiskFreeSpaceExW(name.as_ptr(), &raw mut free, std::ptr::null_mut(), std::ptr::null_mut())
    };
    if told == 0 { Err(io::Error::last_os_error()) } else { Ok(free) }
}

/// Only trying tells, and this looks and does not touch: the attribute is all that is asked.
pub(crate) fn is_writable_folder(folder: &Path) -> bool {
    folder.metadata().is_ok()
}

/// How a folder becomes this user's again.
pub(crate) fn give_back(folder: impl Display) -> String {
    format!("take it over with `takeown /R /F \"{folder}\"`")
}

/// How a folder can be written to again.
pub(crate) fn make_writable(folder: impl Display) -> String {
    format!("run `icacls \"{folder}\" /grant:r \"%USERNAME%:(OI)(CI)F\"`")
}

/// How others are kept out of a folder.
pub(crate) fn close_to_others(folder: impl Display) -> String {
    close_all_to_others(folder)
}

/// How others are kept out of a folder and all that is in it.
pub(crate) fn close_all_to_others(folder: impl Display) -> String {
    format!("run `icacls \"{folder}\" /inheritance:r /grant:r \"%USERNAME%:(OI)(CI)F\"`")
}

/// Looks whether there is a named pipe: that is to open it, and it has no attributes to ask for.
pub(crate) fn look_at(pipe: &Path) -> io::Result<()> {
    connect(pipe)
}

/// Where programs of this user keep what can be made again.
pub(crate) fn cache_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("LOCALAPPDATA")
}

/// Looks whether somebody answers at a named pipe. Whoever made it may learn who we are, and not act as us.
pub(crate) fn connect(pipe: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    match options.read(true).write(true).security_qos_flags(SECURITY_IDENTIFICATION).open(pipe) {
        Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed()) => Ok(()),
        opened => opened.map(drop),
    }
}

/// There is nobody to tell: a scheduled task has started as soon as it runs.
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn tell_manager(_: Option<&OsStr>) -> io::Result<()> {
    Ok(())
}
