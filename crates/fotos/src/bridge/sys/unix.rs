//! Unix: a socket.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use mcp::Stream;
use rustix::process::geteuid;
use tokio::net::UnixStream;

use super::super::claim::{ClaimError, Door, Peer};
use super::super::place::Place;
use super::take_lock;

/// The longest path a socket can have: `sun_path` without its end.
const LONGEST_PATH: usize = 107;

/// A socket that listens, and the lock that makes it ours.
pub(crate) struct LocalDoor {
    listener: tokio::net::UnixListener,
    socket: PathBuf,
    /// The inode of the socket, to leave alone what somebody else put there.
    inode: u64,
    /// Locked as long as this is open; closed after the socket is gone.
    _lock: File,
}

impl LocalDoor {
    /// Takes the lock, and puts a new socket in the place of whatever is there.
    pub(crate) fn open(place: &Place) -> Result<LocalDoor, ClaimError> {
        let socket = place.socket();
        if socket.as_os_str().len() > LONGEST_PATH - ".new".len() {
            return Err(ClaimError::TooLong(socket));
        }
        let lock = take_lock(place)?;
        let failed_at = |path: &Path, source| ClaimError::Socket { path: path.to_owned(), source };
        // Under another name first: nobody meets a socket that is not closed to others yet, and a link in its place is replaced
        // and not followed.
        let fresh = place.folder().join("fotos.sock.new");
        let failed = |source| failed_at(&fresh, source);
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = UnixListener::bind(&fresh).map_err(failed)?;
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let inode = fs::symlink_metadata(&fresh).map_err(failed)?.ino();
        fs::rename(&fresh, &socket).map_err(|source| failed_at(&socket, source))?;
        listener.set_nonblocking(true).map_err(failed)?;
        let listener = tokio::net::UnixListener::from_std(listener).map_err(failed)?;
        Ok(LocalDoor { listener, socket, inode, _lock: lock })
    }
}

impl Drop for LocalDoor {
    fn drop(&mut self) {
        let is_ours = fs::symlink_metadata(&self.socket).is_ok_and(|found| found.ino() == self.inode);
        if is_ours {
            let _ = fs::remove_file(&self.socket);
        }
    }
}

impl Door for LocalDoor {
    async fn accept(&self) -> io::Result<(Stream, Peer)> {
        let (stream, _) = self.listener.accept().await?;
        let credentials = stream.peer_cred()?;
        let peer = Peer {
            is_same_user: credentials.uid() == geteuid().as_raw(),
            pid: credentials.pid().and_then(|pid| u32::try_from(pid).ok()),
        };
        Ok((Stream::from(stream), peer))
    }
}

/// The socket in a folder.
pub(crate) fn address(folder: &Path) -> PathBuf {
    folder.join("fotos.sock")
}

/// Connects to the application; the folder and the process at the other end must be this user's.
pub(crate) async fn connect(place: Place) -> io::Result<Stream> {
    let user = geteuid().as_raw();
    let folder = fs::symlink_metadata(place.folder())?;
    let foreign = |what: &str| {
        io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("`{}` {what}; remove it, and start Fotos again", place.folder().display()),
        )
    };
    if folder.is_symlink() || !folder.is_dir() {
        return Err(foreign("is no folder"));
    }
    if folder.uid() != user || folder.mode() & 0o077 != 0 {
        return Err(foreign("is not this user's alone"));
    }
    let stream = UnixStream::connect(place.socket()).await?;
    if stream.peer_cred()?.uid() != user {
        return Err(foreign("has a socket of another user"));
    }
    Ok(Stream::from(stream))
}
