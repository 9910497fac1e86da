//! Linux: whose process is at the other end of a connection on this machine.

mod netlink;
mod procfs;

use std::io;
use std::net::SocketAddr;

/// Whether the system tells whose process is at the other end; where it does not, only a token tells users apart.
pub const IS_TOLD: bool = true;

/// How to find out. Asked once: of one connection the kernel says "none" both where there is none and where it was built
/// without `sock_diag` for TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A request to the kernel about one socket: microseconds.
    Netlink,
    /// A long table of all sockets, which takes a hundred times longer to read the more there are.
    Procfs,
}

#[cfg(test)]
pub(crate) const WAYS: [Way; 2] = [Way::Netlink, Way::Procfs];

impl Way {
    /// The way that works here, tried on a connection of our own.
    pub(crate) fn find() -> Way {
        if netlink_works().unwrap_or(false) { Way::Netlink } else { Way::Procfs }
    }

    /// Whether it takes so little time that nobody else notices.
    pub(crate) fn is_quick(self) -> bool {
        self == Way::Netlink
    }

    /// The user whose process has the socket that is connected from `peer` to `local`. A socket that was closed is
    /// nobody's: the kernel gives what remains of it to root.
    pub(crate) fn owner(self, peer: SocketAddr, local: SocketAddr) -> io::Result<Option<u32>> {
        match self {
            Way::Netlink => netlink::owner(peer, local),
            Way::Procfs => procfs::owner(peer, local),
        }
    }
}

fn netlink_works() -> io::Result<bool> {
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    let owner = netlink::owner(client.local_addr()?, client.peer_addr()?)?;
    Ok(owner == Some(ourselves()?))
}

/// The user we run as.
pub(crate) fn ourselves() -> io::Result<u32> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata("/proc/self")?.uid())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

    use super::{WAYS, Way, ourselves};

    /// A listener at one address is connected to from another; its owner, in each way, before and after it is closed.
    fn check(listen: &str, connect: impl Fn(u16) -> SocketAddr) {
        let us = Some(ourselves().expect("our user"));
        for way in WAYS {
            let listener = TcpListener::bind(listen).expect("a port");
            let port = listener.local_addr().expect("an address").port();
            let client = TcpStream::connect(connect(port)).expect("a connection");
            let (server, peer) = listener.accept().expect("a connection");
            let local = server.local_addr().expect("an address");
            assert_eq!(way.owner(peer, local).expect("an answer"), us, "{listen}");
            drop(client);
            assert_eq!(way.owner(peer, local).expect("an answer"), None, "{listen}: closed");
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
    fn the_kernel_of_this_machine_is_asked_about_one_socket() {
        assert_eq!(Way::find(), Way::Netlink);
    }

    #[test]
    fn a_listener_is_not_taken_for_a_client() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        for way in WAYS {
            let nobody = way.owner(address, (Ipv4Addr::LOCALHOST, 1).into());
            assert_eq!(nobody.expect("an answer"), None);
        }
    }
}
