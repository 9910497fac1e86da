//! Windows: named pipes.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use mcp::Stream;
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

/// A pipe, of which one end waits for the next client.
pub struct Listener {
    name: OsString,
    next: NamedPipeServer,
}

impl Listener {
    /// Makes it, on a runtime.
    pub fn bind(address: &Path) -> io::Result<Listener> {
        let name = address.as_os_str().to_owned();
        let next = ServerOptions::new().first_pipe_instance(true).create(&name)?;
        Ok(Listener { name, next })
    }

    /// The next connection; which process is at its other end is not asked.
    pub async fn accept(&mut self) -> io::Result<(Stream, Option<u32>)> {
        self.next.connect().await?;
        let next = ServerOptions::new().create(&self.name)?;
        Ok((Stream::whole(std::mem::replace(&mut self.next, next)), None))
    }
}

/// A name for a pipe that nobody else has who has not this folder.
pub(crate) fn address(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!(r"\\.\pipe\{name}").into()
}

/// Without the prefix, which not every program takes.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let real = std::fs::canonicalize(path)?;
    let plain = real.to_str().and_then(|text| text.strip_prefix(r"\\?\")).map(PathBuf::from);
    Ok(plain.unwrap_or(real))
}
