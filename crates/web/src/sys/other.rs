//! Systems that do not tell whose a connection is: there, only a token tells users apart.

use std::io;
use std::net::SocketAddr;

/// Whether the system tells whose process is at the other end.
pub const IS_TOLD: bool = false;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way;

#[cfg(test)]
pub(crate) const WAYS: [Way; 1] = [Way];

impl Way {
    pub(crate) fn find() -> Way {
        Way
    }

    /// Whether it takes so little time that nobody else notices.
    #[allow(clippy::unused_self, reason = "other systems have several ways")]
    pub(crate) fn is_quick(self) -> bool {
        true
    }

    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on other systems")]
    pub(crate) fn owner(self, _: SocketAddr, _: SocketAddr) -> io::Result<Option<u32>> {
        Ok(None)
    }
}

pub(crate) fn ourselves() -> io::Result<u32> {
    Err(io::ErrorKind::Unsupported.into())
}
