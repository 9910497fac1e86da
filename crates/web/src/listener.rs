//! The listening socket: connections are accepted here, and those of other users turned away.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use mcp::Caller;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::connection::{self, Shared};
use crate::connections::Connections;
use crate::gate::Gate;
use crate::site::Site;
use crate::sys::{self, Way};

/// In how many sweeps over all connections one may be found waiting for its client.
const MAX_SWEEPS: u8 = 6;

/// How many connections may wait for their user to be looked up in procfs, which takes a while.
const MAX_LOOKUPS: usize = 16;

/// How long connections have to finish once we are told to stop.
const DRAIN: Duration = Duration::from_secs(5);

/// What clients may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many connections there may be.
    pub connections: usize,
    /// For how long one may keep us waiting: for a head, for more of a body, or between two requests.
    pub patience: Duration,
}

impl Default for Limits {
    /// Well below the files a process may open by default, and a minute.
    fn default() -> Limits {
        Limits { connections: 512, patience: Duration::from_secs(60) }
    }
}

/// A socket that listens.
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    limits: Limits,
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
pub struct Shutdown(Arc<watch::Sender<bool>>);

impl Shutdown {
    /// A handle that has not been used.
    pub fn new() -> Shutdown {
        Shutdown(Arc::new(watch::Sender::new(false)))
    }

    /// A handle that is used when the system or the person at the terminal ends the process.
    pub fn on_signal() -> io::Result<Shutdown> {
        let stop = Shutdown::new();
        stop.use_on_signal()?;
        Ok(stop)
    }

    /// Stops: no new connections, those there are finish.
    pub fn now(&self) {
        self.0.send_replace(true);
    }

    fn use_on_signal(&self) -> io::Result<()> {
        sys::on_signals(|| {
            let stop = self.clone();
            move || stop.now()
        })
    }
}

impl Default for Shutdown {
    fn default() -> Shutdown {
        Shutdown::new()
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
        Ok(Listener { socket, address, limits: Limits::default() })
    }

    /// Where it can be reached: where it listens, or, if that is everywhere, on this machine and then from others.
    pub fn reachable(&self) -> Vec<SocketAddr> {
        let ip = self.address.ip();
        if !ip.is_unspecified() {
            return vec![self.address];
        }
        let here: IpAddr = if ip.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        [here].into_iter().chain(outward(ip)).map(|ip| SocketAddr::new(ip, self.address.port())).collect()
    }

    /// With limits of your own.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Listener {
        self.limits = limits;
        self
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until told to stop, then until the last connection is done or the time is up.
    pub async fn serve(self, site: Site, gate: Gate, stop: Shutdown) {
        let guard = (gate.wants_same_user() && sys::IS_TOLD).then(|| Guard::new(Way::find()));
        let principal = format!("http {}", self.address);
        let caller = Arc::new(Caller { principal, remote: true, ..Caller::default() });
        let way = guard.as_ref().map(|guard| guard.way).filter(|way| way.is_quick());
        let shared = Arc::new(Shared { gate, site, caller, way });
        let connections = Connections::new(self.limits.connections);
        let mut stopping = stop.0.subscribe();
        let mut sweeps = tokio::time::interval(self.limits.patience / u32::from(MAX_SWEEPS));
        while !*stopping.borrow() {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                _ = sweeps.tick() => {
                    connections.sweep(MAX_SWEEPS);
                    shared.site.sweep();
                    continue;
                }
                _ = stopping.changed() => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let serve = |stream: TcpStream, shared: &Arc<Shared>, connections: &Arc<Connections>| {
                        // Answers are small, and written whole: waiting for more only delays them.
                        let _ = stream.set_nodelay(true);
                        connection::serve(stream, connections.enter(), Arc::clone(shared))
                    };
                    // Another user's process learns nothing, not even that we speak HTTP.
                    match &guard {
                        None => drop(tokio::spawn(serve(stream, &shared, &connections))),
                        Some(guard) if guard.way.is_quick() => {
                            if is_ours(guard.way, &stream, peer) {
                                tokio::spawn(serve(stream, &shared, &connections));
                            }
                        }
                        // Not here: everybody else would wait for it.
                        Some(guard) => {
                            let Ok(place) = Arc::clone(&guard.lookups).try_acquire_owned() else { continue };
                            let (shared, connections) = (Arc::clone(&shared), Arc::clone(&connections));
                            let way = guard.way;
                            tokio::spawn(async move {
                                let looked_up = tokio::task::spawn_blocking(move || {
                                    let _place = place;
                                    is_ours(way, &stream, peer).then_some(stream)
                                });
                                if let Ok(Some(stream)) = looked_up.await {
                                    serve(stream, &shared, &connections).await;
                                }
                            });
                        }
                    }
                }
                // Whoever it was is gone; nobody else waits for that.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
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

/// The address this machine has towards others. Connecting a UDP socket sends nothing; it only chooses a route, here to an
/// address that is nobody's.
fn outward(any: IpAddr) -> Option<IpAddr> {
    let elsewhere: IpAddr = if any.is_ipv4() {
        Ipv4Addr::new(192, 0, 2, 1).into()
    } else {
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into()
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((elsewhere, 9)).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

/// Keeps other users of this machine out.
struct Guard {
    way: Way,
    lookups: Arc<Semaphore>,
}

impl Guard {
    fn new(way: Way) -> Guard {
        Guard { way, lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)) }
    }
}

/// Whether the other end belongs to our own user.
fn is_ours(way: Way, stream: &TcpStream, peer: SocketAddr) -> bool {
    let Ok(local) = stream.local_addr() else { return false };
    // No entry, or no answer, is no proof: then it is not ours.
    let is_own =
        matches!((way.owner(peer, local), sys::ourselves()), (Ok(Some(owner)), Ok(us)) if owner == us);
    // Asked last: only while we are connected does nobody else have the port of our peer. What was sent on a connection that
    // was reset can still be read.
    is_own && stream.peer_addr().is_ok()
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpSocket, TcpStream};

    use super::is_ours;
    use crate::sys::{IS_TOLD, WAYS};

    /// Another user connects, sends a request and resets the connection before it is accepted. When a process of ours then
    /// gets the same port, that port has the right owner, and the request is still there to be read.
    #[tokio::test]
    async fn the_owner_of_a_port_proves_nothing_about_a_connection_that_was_reset() {
        for way in WAYS {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            let first = TcpStream::connect(address).await.expect("a connection");
            let port = first.local_addr().expect("an address");
            first.set_zero_linger().expect("a reset");
            drop(first);
            let socket = TcpSocket::new_v4().expect("a socket");
            socket.bind(port).expect("the port is free again");
            let _second = socket.connect(address).await.expect("a connection");

            let (stream, peer) = listener.accept().await.expect("the first");
            assert_eq!(peer, port);
            assert!(!is_ours(way, &stream, peer), "{way:?}");
            let (stream, peer) = listener.accept().await.expect("the second");
            assert_eq!(peer, port);
            assert_eq!(is_ours(way, &stream, peer), IS_TOLD, "{way:?}");
        }
    }
}
