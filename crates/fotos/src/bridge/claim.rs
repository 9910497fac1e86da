//! Being the host that everybody else relays to.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use files::FolderError;
use mcp::{Caller, Service, Stream, stream};
use tokio::sync::Semaphore;

use super::guard::Guard;
use super::place::Place;
use super::sys::LocalDoor;
use crate::host::Host;

/// More programs than a person runs; the next one waits.
const MOST_CONNECTIONS: usize = 64;

/// How long to wait when no connection can be accepted: there may be too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest line: a screenshot that is handed over.
const LONGEST_LINE: usize = 96_000_000;

/// Why this process is not the host.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Another one is.
    #[error("Fotos is running already: {owner}; use its window, or close it first")]
    Taken {
        /// Who, as far as it is known.
        owner: String,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The path does not fit into the address of a socket.
    #[error("`{}` is too long for a socket; set `XDG_RUNTIME_DIR` or `DESKMATE_HOME` to a shorter path", .0.display())]
    TooLong(PathBuf),
    /// The socket cannot be made.
    #[error("cannot make the socket `{}`: {source}", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Peer {
    pub(super) is_same_user: bool,
    pub(super) pid: Option<u32>,
}

/// Where connections come in: a Unix socket, or elsewhere a named pipe.
pub(super) trait Door: Send + Sync + 'static {
    fn accept(&self) -> impl Future<Output = io::Result<(Stream, Peer)>> + Send;
}

/// The right to be the host, until it is dropped. A lock decides who has it, and a socket that a killed process left behind is
/// replaced.
pub struct Claim {
    door: LocalDoor,
}

impl Claim {
    /// Becomes the host, on a runtime. A second one is told who is.
    pub fn take(place: &Place) -> Result<Claim, ClaimError> {
        Ok(Claim { door: LocalDoor::open(place)? })
    }

    /// Serves everybody who connects and is this user, until it is dropped.
    pub async fn serve(self, host: Arc<Host>) -> std::convert::Infallible {
        serve(&self.door, Arc::new(Guard::new(host))).await
    }
}

async fn serve(door: &impl Door, service: Arc<dyn Service>) -> std::convert::Infallible {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = tokio::task::JoinSet::new();
    loop {
        // It is never closed.
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { continue };
        let Ok((stream, peer)) = door.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        if !peer.is_same_user {
            continue;
        }
        let caller = Caller { principal: "bridge".to_owned(), pid: peer.pid, ..Caller::default() };
        let limits = mcp::stdio::Limits { line: LONGEST_LINE, ..mcp::stdio::Limits::default() };
        let service = Arc::clone(&service);
        connections.spawn(async move {
            // A connection that breaks is the other end's business.
            let _ = stream::serve(service, stream, caller, limits).await;
            drop(permit);
        });
        while connections.try_join_next().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::io;
    use std::sync::{Arc, Mutex};

    use mcp::{Server, Stream};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::{Door, Peer, serve};

    /// Lets each of these in, once.
    struct Callers(Mutex<Vec<(DuplexStream, Peer)>>);

    impl Door for Callers {
        async fn accept(&self) -> io::Result<(Stream, Peer)> {
            let next = self.0.lock().expect("free").pop();
            match next {
                Some((stream, peer)) => Ok((Stream::whole(stream), peer)),
                None => pending().await,
            }
        }
    }

    /// What somebody gets who asks for an answer.
    async fn answer(mut stream: DuplexStream) -> Vec<u8> {
        // Whoever is not let in may be cut off before this is written.
        let _ = stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        answer
    }

    #[test]
    fn another_user_is_hung_up_on() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (ours, theirs) = (duplex(1 << 16), duplex(1 << 16));
            let callers = vec![
                (ours.0, Peer { is_same_user: true, pid: None }),
                (theirs.0, Peer { is_same_user: false, pid: Some(1) }),
            ];
            tokio::spawn(async move {
                let service = Arc::new(Server::new("fotos", "1", ()));
                serve(&Callers(Mutex::new(callers)), service).await;
            });
            assert!(answer(theirs.1).await.is_empty());
            assert!(!answer(ours.1).await.is_empty());
        });
    }
}
