//! Unix: sockets.

use std::io;
use std::path::{Path, PathBuf};

use mcp::Stream;
use tokio::net::UnixListener;

/// A socket that listens.
pub struct Listener(UnixListener);

impl Listener {
    /// Makes it, on a runtime.
    pub fn bind(address: &Path) -> io::Result<Listener> {
        UnixListener::bind(address).map(Listener)
    }

    /// The next connection, and the process at its other end.
    pub async fn accept(&mut self) -> io::Result<(Stream, Option<u32>)> {
        let (socket, _) = self.0.accept().await?;
        let pid = socket.peer_cred().ok().and_then(|peer| peer.pid()).and_then(|pid| u32::try_from(pid).ok());
        Ok((Stream::from(socket), pid))
    }
}

/// The address of a socket in a folder.
pub(crate) fn address(folder: &Path) -> PathBuf {
    folder.join("socket")
}

pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}
