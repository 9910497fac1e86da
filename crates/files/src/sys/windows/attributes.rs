//! What a file has besides its bytes: who may use it, its attributes, its alternate streams.
#![allow(unsafe_code, reason = "system calls that have no safe form")]

use std::fs::{File, FileTimes};
use std::io;
use std::os::windows::fs::{FileTimesExt, MetadataExt};
use std::os::windows::io::{AsHandle, AsRawHandle};

use windows_sys::Win32::Foundation::{ERROR_CALL_NOT_IMPLEMENTED, ERROR_INVALID_FUNCTION};
use windows_sys::Win32::Foundation::{ERROR_HANDLE_EOF, ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_ARCHIVE, FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_NOT_CONTENT_INDEXED,
    FILE_ATTRIBUTE_SYSTEM, FILE_BASIC_INFO, FILE_STREAM_INFO, FileBasicInfo, FileStreamInfo,
    GetFileInformationByHandleEx, SetFileInformationByHandle,
};

use super::Stat;
use super::account::Descriptor;

/// Gives `to` the access control list, the attributes and the time of creation of `from`. Fails where `to` could not have
/// everything: `from` belongs to somebody else, or has alternate streams.
pub(crate) fn copy_all(from: &File, _: &Stat, to: &File) -> io::Result<()> {
    let old = Descriptor::of(from.as_handle())?;
    if old.owner()? != Descriptor::of(to.as_handle())?.owner()? {
        return Err(io::Error::other("it belongs to somebody else"));
    }
    if has_streams(from)? {
        return Err(io::Error::other("it has alternate streams"));
    }
    old.apply(to.as_handle())?;
    let about = from.metadata()?;
    if let Ok(created) = about.created() {
        to.set_times(FileTimes::new().set_created(created))?;
    }
    const KEPT: u32 = FILE_ATTRIBUTE_HIDDEN
        | FILE_ATTRIBUTE_SYSTEM
        | FILE_ATTRIBUTE_ARCHIVE
        | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;
    set_attributes(to, about.file_attributes() & KEPT)
}

/// Lets those use `to` who may use `from`, and nobody else.
pub(crate) fn copy_access(from: &File, to: &File) -> io::Result<()> {
    Descriptor::of(from.as_handle())?.apply(to.as_handle())
}

fn set_attributes(file: &File, attributes: u32) -> io::Result<()> {
    // Zero would mean: leave them as they are.
    let attributes = if attributes == 0 { FILE_ATTRIBUTE_NORMAL } else { attributes };
    let info = FILE_BASIC_INFO { FileAttributes: attributes, ..FILE_BASIC_INFO::default() };
    // SAFETY: the structure is what the class asks for; times that are zero stay as they are.
    let set = unsafe {
        SetFileInformationByHandle(
            file.as_raw_handle(),
            FileBasicInfo,
            (&raw const info).cast(),
            size_of::<FILE_BASIC_INFO>() as u32,
        )
    };
    if set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Whether a file has other streams than the one with its bytes.
fn has_streams(file: &File) -> io::Result<bool> {
    // Room for one, with a short name: that of the bytes is `::$DATA`.
    let mut room = [0_u64; 8];
    // SAFETY: the buffer has as many bytes as is said, and the structure is made for it.
    let told = unsafe {
        GetFileInformationByHandleEx(
            file.as_raw_handle(),
            FileStreamInfo,
            room.as_mut_ptr().cast(),
            size_of_val(&room) as u32,
        )
    };
    if told == 0 {
        let error = io::Error::last_os_error();
        return match error.raw_os_error().map(i32::cast_unsigned) {
            // Not on this file system.
            Some(
                ERROR_HANDLE_EOF
                | ERROR_INVALID_PARAMETER
                | ERROR_INVALID_FUNCTION
                | ERROR_NOT_SUPPORTED
                | ERROR_CALL_NOT_IMPLEMENTED,
            ) => Ok(false),
            // More than there is room for.
            _ => Ok(true),
        };
    }
    // SAFETY: the call succeeded, so the structure is there.
    let first = unsafe { &*room.as_ptr().cast::<FILE_STREAM_INFO>() };
    Ok(first.NextEntryOffset != 0)
}
