//! Locks: names for files that are replaced, and a byte behind the end for those that stay.
#![allow(unsafe_code, reason = "system calls that have no safe form")]

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr;

use windows_sys::Win32::Foundation::{
    ERROR_ALREADY_EXISTS, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, GetLastError,
};
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;
use windows_sys::Win32::System::Threading::CreateMutexW;

use crate::sys::NotYet;

/// The right to change a file, until it is dropped: an object with its name, which only one process can have made.
#[derive(Debug)]
pub(crate) struct Held {
    _object: OwnedHandle,
}

/// Takes the file at this path for one who changes it, if nobody else in this session has it. The file itself is not locked: what
/// is locked can neither be read nor be replaced. Nor is it open for longer than it takes to see that it is there.
pub(crate) fn take_turn<E>(
    path: &Path,
    open: impl FnOnce() -> Result<File, E>,
) -> Result<Result<Held, NotYet>, E> {
    let held = take_name(path);
    if held.is_ok() {
        open()?;
    }
    Ok(held)
}

fn take_name(path: &Path) -> Result<Held, NotYet> {
    let name: Vec<u16> =
        format!(r"Local\deskmate-file-{:032x}", name_of(path)).encode_utf16().chain([0]).collect();
    // SAFETY: the name ends in a zero.
    let object = unsafe { CreateMutexW(ptr::null(), 0, name.as_ptr()) };
    // SAFETY: no pointer is passed.
    let status = unsafe { GetLastError() };
    if object.is_null() {
        // Another user's process has it, and lets nobody near.
        return Err(NotYet::Busy);
    }
    // SAFETY: the handle was just made for us.
    let object = unsafe { OwnedHandle::from_raw_handle(object) };
    if status == ERROR_ALREADY_EXISTS { Err(NotYet::Busy) } else { Ok(Held { _object: object }) }
}

/// The same number for a path in every process and version: FNV-1a.
fn name_of(path: &Path) -> u128 {
    let units = path.as_os_str().encode_wide();
    units.flat_map(u16::to_le_bytes).fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

/// The byte that stands for a file's lock. It is behind the end of every file: what is locked cannot be read by others.
const LOCKED: u64 = i64::MAX as u64 - 1;

fn lock_byte() -> OVERLAPPED {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.Offset = LOCKED as u32;
    place.Anonymous.Anonymous.OffsetHigh = (LOCKED >> 32) as u32;
    place
}

fn lock_with(file: &File, flags: u32) -> io::Result<()> {
    let mut place = lock_byte();
    // SAFETY: the structure lives until the call returns, which for a file opened without overlapping is when it is done.
    let locked = unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) };
    if locked != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Err(io::ErrorKind::WouldBlock.into()),
        _ => Err(error),
    }
}

/// Waits for the lock of a file.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    lock_with(file, LOCKFILE_EXCLUSIVE_LOCK)
}

/// Takes the lock of a file; another one has it where the error is `WouldBlock`.
pub(crate) fn try_lock(file: &File) -> io::Result<()> {
    lock_with(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY)
}

pub(crate) fn unlock(file: &File) -> io::Result<()> {
    let mut place = lock_byte();
    // SAFETY: as for locking.
    let unlocked = unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut place) };
    if unlocked == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
