//! The socket everything comes in by.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mcp::Caller;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::connection::{self, Shared};
use crate::connections::Connections;
use crate::gate::Gate;
use crate::same_user;
use crate::site::Site;

/// How many connections there may be; well below the files a process may open by default.
const MAX_CONNECTIONS: usize = 512;

/// How often connections are looked over, and for how many times one may be found waiting for its client: a
/// minute for a head, and for a connection that is not used.
const SWEEP: Duration = Duration::from_secs(10);
const MAX_SWEEPS: u8 = 6;

/// How long connections have to finish once we are told to stop.
const DRAIN: Duration = Duration::from_secs(5);

/// A socket that listens.
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

/// Why there is no listener.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Somebody else listens there.
    #[error("port {port} on {ip} is in use, perhaps by another Deskmate: stop that one, or choose another port with `--port`", port = .0.port(), ip = .0.ip())]
    InUse(SocketAddr),
    /// Ports below 1024 are for the administrator.
    #[error("port {port} may not be used without administrator rights: choose one from 1024 up with `--port`", port = .0.port())]
    Forbidden(SocketAddr),
    /// Anything else.
    #[error("cannot listen on {0}: {1}")]
    Other(SocketAddr, #[source] io::Error),
}

/// Ends a listener that runs.
#[derive(Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// A handle that has not been used.
    pub fn new() -> Stop {
        Stop(Arc::new(watch::Sender::new(false)))
    }

    /// Stops: no new connections, those there are finish.
    pub fn now(&self) {
        self.0.send_replace(true);
    }
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

impl Listener {
    /// Listens at `address`; port 0 takes any that is free.
    pub async fn bind(address: SocketAddr) -> Result<Listener, BindError> {
        let socket = TcpListener::bind(address).await.map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => BindError::InUse(address),
            io::ErrorKind::PermissionDenied => BindError::Forbidden(address),
            _ => BindError::Other(address, error),
        })?;
        let address = socket.local_addr().map_err(|error| BindError::Other(address, error))?;
        Ok(Listener { socket, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until told to stop, then until the last connection is done or the time is up.
    pub async fn serve(self, site: Site, gate: Gate, stop: Stop) {
        let same_user = gate.wants_same_user();
        let principal = format!("http {}", self.address);
        let caller = Arc::new(Caller { principal, remote: true, ..Caller::default() });
        let shared = Arc::new(Shared { gate, site, caller });
        let connections = Connections::new(MAX_CONNECTIONS);
        let mut stopping = stop.0.subscribe();
        let mut sweeps = tokio::time::interval(SWEEP);
        while !*stopping.borrow() {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                _ = sweeps.tick() => {
                    connections.sweep(MAX_SWEEPS);
                    continue;
                }
                _ = stopping.changed() => break,
            };
            match accepted {
                Ok((stream, peer)) if !same_user || is_ours(&stream, peer) => {
                    // Answers are small, and written whole: waiting for more only delays them.
                    let _ = stream.set_nodelay(true);
                    let place = connections.enter();
                    tokio::spawn(connection::serve(stream, place, Arc::clone(&shared)));
                }
                // Another user's process: it learns nothing, not even that we speak HTTP.
                Ok(_) => {}
                // Out of files, most likely: it passes when a connection ends.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        shared.site.close();
        connections.finish();
        let all_done = async {
            while !connections.is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(DRAIN, all_done).await;
    }
}

/// Whether the other end belongs to our own user, as far as the system can tell.
#[cfg(target_os = "linux")]
fn is_ours(stream: &TcpStream, peer: SocketAddr) -> bool {
    let Ok(local) = stream.local_addr() else { return false };
    // No entry, or no table, is no proof: then it is not ours.
    matches!((same_user::owner(peer, local), same_user::ourselves()), (Ok(Some(owner)), Ok(us)) if owner == us)
}

#[cfg(not(target_os = "linux"))]
fn is_ours(_: &TcpStream, _: SocketAddr) -> bool {
    true
}
