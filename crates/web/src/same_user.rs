//! Whose process is at the other end of a connection on this machine.

#[cfg(target_os = "linux")]
mod asked;
#[cfg(target_os = "linux")]
mod listed;

use std::io;
use std::net::SocketAddr;

/// The user whose process has the socket that is connected from `peer` to `local`, where the system tells. A socket that was
/// closed is nobody's: the kernel gives what remains of it to root.
///
/// Kernels can be built without answers to questions; their table is long, and reading it takes a hundred times longer.
#[cfg(target_os = "linux")]
pub(crate) fn owner(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<u32>> {
    match asked::owner(peer, local) {
        Ok(Some(owner)) => Ok(Some(owner)),
        Ok(None) | Err(_) => listed::owner(peer, local),
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn owner(_: SocketAddr, _: SocketAddr) -> io::Result<Option<u32>> {
    Ok(None)
}

/// The user we run as.
#[cfg(target_os = "linux")]
pub(crate) fn ourselves() -> io::Result<u32> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata("/proc/self")?.uid())
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::io;
    use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

    use super::{asked, listed, ourselves, owner};

    type Owner = fn(SocketAddr, SocketAddr) -> io::Result<Option<u32>>;

    const WAYS: [Owner; 3] = [asked::owner, listed::owner, owner];

    /// A listener at one address is connected to from another; its owner, in each way, before and after it is closed.
    fn check(listen: &str, connect: impl Fn(u16) -> SocketAddr) {
        let us = Some(ourselves().expect("our user"));
        for owner in WAYS {
            let listener = TcpListener::bind(listen).expect("a port");
            let port = listener.local_addr().expect("an address").port();
            let client = TcpStream::connect(connect(port)).expect("a connection");
            let (server, peer) = listener.accept().expect("a connection");
            let local = server.local_addr().expect("an address");
            assert_eq!(owner(peer, local).expect("an answer"), us, "{listen}");
            drop(client);
            assert_eq!(owner(peer, local).expect("an answer"), None, "{listen}: closed");
        }
    }

    #[test]
    fn a_connection_of_our_own_is_ours_until_it_is_closed() {
        check("127.0.0.1:0", |port| (Ipv4Addr::LOCALHOST, port).into());
        check("[::1]:0", |port| (std::net::Ipv6Addr::LOCALHOST, port).into());
    }

    #[test]
    fn a_client_may_speak_ipv4_through_a_socket_for_ipv6() {
        check("127.0.0.1:0", |port| (Ipv4Addr::LOCALHOST.to_ipv6_mapped(), port).into());
        check("[::ffff:127.0.0.1]:0", |port| (Ipv4Addr::LOCALHOST, port).into());
    }

    #[test]
    fn a_listener_is_not_taken_for_a_client() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        for owner in WAYS {
            let nobody = owner(address, (Ipv4Addr::LOCALHOST, 1).into());
            assert_eq!(nobody.expect("an answer"), None);
        }
    }
}
