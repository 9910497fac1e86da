//! Windows: access control lists and jobs. What is not done here yet fails closed: no command gets a secret.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsHandle as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use files::account::{Descriptor, Sid};
use tokio::process::{Child, Command};
use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_OPEN_REPARSE_POINT, FILE_TYPE_DISK, GetFileType};
use windows_sys::Win32::System::Memory::VirtualLock;

use super::{NotPrivate, StickyBit};
use crate::child::Unconfined;

/// Where programs are looked for when nothing says so.
pub(crate) const USUAL_PATH: &str = r"C:\Windows\System32;C:\Windows";

/// There is nothing to fence a command in with, so it gets no folder of its own either.
pub(crate) const TEMPORARY: Option<&str> = None;

/// Why there is no such place.
pub(crate) const WHY_NOT: &str = "Windows has nothing to fence it in with";

/// There is nothing to do: other processes of this user can read this one's memory, whatever it says.
pub fn harden_process() {}

/// Asks the operating system to keep the memory of a value out of the page file, as far as this user may have it so.
#[allow(unsafe_code, reason = "a call of the operating system about memory")]
pub(crate) fn keep_out_of_swap<T>(value: &T) {
    // SAFETY: the range is that of a live value. Locking changes nothing that a program can see in its memory.
    let _ = unsafe { VirtualLock(std::ptr::from_ref(value).cast(), size_of::<T>()) };
}

/// Opens a file to read. A device or a pipe is refused: it would keep us waiting.
pub(crate) fn open_waiting_for_nobody(path: &Path) -> io::Result<File> {
    on_disk(OpenOptions::new().read(true).open(path)?)
}

/// The same, if it is no link.
pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)?;
    if file.metadata()?.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    on_disk(file)
}

#[allow(unsafe_code, reason = "a call that has no safe form")]
fn on_disk(file: File) -> io::Result<File> {
    use std::os::windows::io::AsRawHandle as _;
    // SAFETY: the handle is open.
    let kind = unsafe { GetFileType(file.as_raw_handle()) };
    if kind == FILE_TYPE_DISK { Ok(file) } else { Err(io::Error::other("it is no file on a disk")) }
}

/// Opens a file that is only there to be locked, or makes it.
pub(crate) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    let file = options.open(path)?;
    if file.metadata()?.is_symlink() { Err(io::Error::other("it is a link")) } else { on_disk(file) }
}

/// What keeps a file from being for this user alone.
pub(crate) fn check_private(file: &File) -> io::Result<Option<NotPrivate>> {
    let found = Descriptor::of(file.as_handle())?;
    let owner = found.owner()?;
    if owner != Sid::of_this_user()? && owner != Sid::of_new_things()? {
        return Ok(Some(NotPrivate::Foreign(owner.to_string())));
    }
    Ok(found.lets_others_in()?.then(|| NotPrivate::Loose {
        found: "its access control list names others".to_owned(),
        remedy: "let its properties name you alone, under Security",
    }))
}

/// Where programs keep what must not be lost and is no data, on this machine.
pub(crate) fn state_folder(path: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    files::person_state(|name| path(name).map(OsString::from)).map(|folder| folder.join("State"))
}

/// The value of an environment variable.
pub(crate) fn variable_value(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(OsString::from)
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Whether somebody besides this user and the administrators can change a file or a folder. It is not found out yet, so anybody can.
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn others_can_change(_: &Path, _: StickyBit) -> io::Result<bool> {
    Ok(true)
}

/// Whether somebody else can put something in the place of a file or into a folder. Access control lists are not read; the folders
/// of a user are made for this user alone.
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn others_can_replace(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Whether this user may do everything.
pub(crate) fn is_administrator() -> bool {
    false
}

/// Whether something belongs to the administrators alone; it is not found out.
pub(crate) fn belongs_to_administrator(_: &fs::Metadata) -> bool {
    false
}

/// Makes a folder for this user alone.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    files::make_private_folder(path)
}

/// Whether [`make_folder`] made it, for this user.
pub(crate) fn is_our_folder(_: &fs::Metadata) -> bool {
    false
}

/// The signal that ended a process: there are none.
pub(crate) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// Makes a command ready.
pub(crate) fn prepare(_: &mut Command, _: &str, fence: Option<Fence>) {
    match fence {
        Some(fence) => match fence {},
        None => {}
    }
}

/// There is nothing to fence with.
pub(crate) enum Fence {}

impl Fence {
    pub(crate) fn new(_: &Path, _: &Path, _: super::Open<'_>) -> Result<Fence, Unconfined> {
        Err(Unconfined::NotSupported(WHY_NOT.to_owned()))
    }
}

/// What a command starts, to be ended with it.
pub(crate) struct Group;

impl Group {
    pub(crate) fn of(_: &Child) -> io::Result<Group> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "commands are not run on Windows yet"))
    }

    pub(crate) fn end(&mut self) {}
}

/// Resolves when the command has ended.
pub(crate) async fn exited(child: &mut Child) {
    // The result is kept, and given again to whoever waits next.
    let _ = child.wait().await;
}
