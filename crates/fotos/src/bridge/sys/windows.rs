//! Windows: a named pipe.
#![allow(unsafe_code, reason = "system calls that have no safe form")]

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, RawHandle};
use std::path::{Path, PathBuf};
use std::time::Duration;

use files::account::{Descriptor, Sid};
use mcp::Stream;
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions};
use tokio::sync::Mutex;
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;
use windows_sys::Win32::System::Pipes::{GetNamedPipeClientProcessId, GetNamedPipeServerProcessId};

use super::super::claim::{ClaimError, Door, Peer};
use super::super::place::Place;
use super::take_lock;

/// How long to wait before asking again, when all ends of the pipe are taken for the moment.
const PAUSE: Duration = Duration::from_millis(10);

/// A pipe that waits for its next client, and the lock that makes it ours.
pub(crate) struct LocalDoor {
    name: OsString,
    descriptor: Descriptor,
    next: Mutex<NamedPipeServer>,
    /// Locked as long as this is open.
    _lock: File,
}

impl LocalDoor {
    /// Takes the lock, and makes the pipe, which nobody else may have made.
    pub(crate) fn open(place: &Place) -> Result<LocalDoor, ClaimError> {
        let lock = take_lock(place)?;
        let name = place.socket().into_os_string();
        let failed = |source| ClaimError::Socket { path: (&name).into(), source };
        let descriptor = Descriptor::of_this_user_alone().map_err(failed)?;
        let first = make_end(&name, &descriptor, End::First).map_err(failed)?;
        Ok(LocalDoor { name, descriptor, next: Mutex::new(first), _lock: lock })
    }
}

/// Which of its ends of a pipe a server makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The first: it fails if the pipe is there already, whoever made it.
    First,
    Further,
}

/// An end that waits for a client. Only this user can open the other one, and only on this machine.
fn make_end(name: &OsString, descriptor: &Descriptor, end: End) -> io::Result<NamedPipeServer> {
    let mut attributes = descriptor.attributes();
    let mut options = ServerOptions::new();
    options.first_pipe_instance(end == End::First).reject_remote_clients(true);
    // SAFETY: the attributes and the descriptor they lead to live until the call returns.
    unsafe { options.create_with_security_attributes_raw(name, (&raw mut attributes).cast()) }
}

impl Door for LocalDoor {
    async fn accept(&self) -> io::Result<(Stream, Peer)> {
        let mut next = self.next.lock().await;
        next.connect().await?;
        let further = make_end(&self.name, &self.descriptor, End::Further).inspect_err(|_| {
            // Without another end, this one has to wait for the next client.
            let _ = next.disconnect();
        })?;
        let stream = std::mem::replace(&mut *next, further);
        let pid = process_at(stream.as_raw_handle(), GetNamedPipeClientProcessId);
        let is_same_user = pid.is_some_and(is_ours);
        Ok((Stream::whole(stream), Peer { is_same_user, pid }))
    }
}

type Asked = unsafe extern "system" fn(RawHandle, *mut u32) -> i32;

/// The process at the other end of a pipe.
fn process_at(pipe: RawHandle, ask: Asked) -> Option<u32> {
    let mut id = 0;
    // SAFETY: the handle is open, and the pointer leads to a place for the number.
    let told = unsafe { ask(pipe, &raw mut id) };
    (told != 0).then_some(id)
}

/// Whether a process is this user's. Where that is not told, it is not.
fn is_ours(process: u32) -> bool {
    matches!((Sid::of_process(process), Sid::of_this_user()), (Ok(theirs), Ok(ours)) if theirs == ours)
}

/// The name of the pipe that belongs to a folder: the folder is this user's, and so is a name made from it. However a program has
/// the folder spelled, the pipe is the same; where there is no folder yet, there is no pipe.
pub(crate) fn address(folder: &Path) -> PathBuf {
    let folder = files::real_path(folder).unwrap_or_else(|_| folder.to_owned());
    let units = folder.as_os_str().encode_wide();
    // FNV-1a: the same in every version.
    let hash = units.flat_map(u16::to_le_bytes).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!(r"\\.\pipe\io.github.charly.fotos-{hash:016x}").into()
}

/// Whether a pipe, and the process that has its other end, are this user's. The number of a process that ended may be another's by
/// now; the owner of the pipe stays.
fn is_our_pipe(pipe: &NamedPipeClient) -> bool {
    // SAFETY: the handle is open as long as the pipe is borrowed.
    let handle = unsafe { BorrowedHandle::borrow_raw(pipe.as_raw_handle()) };
    let owner = Descriptor::of(handle).and_then(|found| found.owner());
    matches!((owner, Sid::of_this_user()), (Ok(theirs), Ok(ours)) if theirs == ours)
        && process_at(pipe.as_raw_handle(), GetNamedPipeServerProcessId).is_some_and(is_ours)
}

/// Connects to the application; the process at the other end must be this user's.
pub(crate) async fn connect(place: Place) -> io::Result<Stream> {
    let name = place.socket();
    let pipe = loop {
        match ClientOptions::new().open(&name) {
            Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed()) => {
                tokio::time::sleep(PAUSE).await;
            }
            opened => break opened?,
        }
    };
    if is_our_pipe(&pipe) {
        return Ok(Stream::whole(pipe));
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!(
            "`{}` is another user's pipe; end the program that made it, and start Fotos again",
            name.display()
        ),
    ))
}
