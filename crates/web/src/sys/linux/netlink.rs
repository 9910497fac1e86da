//! The owner of one socket, by a netlink request to the kernel (`sock_diag(7)`).

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::net::{netlink, recv, send, socket_with};

/// `SOCK_DIAG_BY_FAMILY`, the type of the request and of its response.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST`: one socket, not all there are.
const REQUEST: u16 = 1;
const TCP: u8 = 6;
/// How long the request is: a header of 16 bytes and the socket it is about.
const REQUEST_LENGTH: u32 = 72;
/// In the response, after its header and the state of the socket.
const PORTS: usize = 20;
/// After ports, addresses, interface, cookie, timer and queues.
const USER: usize = 80;
const INODE: usize = 84;

/// The user whose process has the socket that is connected from `peer` to `local`.
pub(super) fn owner(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<u32>> {
    let kernel = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    send(&kernel, &request(peer, local), SendFlags::empty())?;
    let mut room = [0; 1024];
    // The response is there when the request was sent.
    let (length, _) = recv(&kernel, &mut room, RecvFlags::DONTWAIT)?;
    Ok(owner_in(room.get(..length).unwrap_or(&room), peer, local))
}

/// A header, then `struct inet_diag_req_v2`: numbers in the order of this machine, ports and addresses in that of the net.
fn request(peer: SocketAddr, local: SocketAddr) -> Vec<u8> {
    let (peer_ip, local_ip) = (peer.ip().to_canonical(), local.ip().to_canonical());
    let family = if peer_ip.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let mut out = Vec::new();
    out.extend(REQUEST_LENGTH.to_ne_bytes());
    out.extend(BY_FAMILY.to_ne_bytes());
    out.extend(REQUEST.to_ne_bytes());
    // Number of the request and port of the sender: the kernel knows.
    out.extend([0; 8]);
    out.extend([family.as_raw().to_ne_bytes()[0], TCP, 0, 0]);
    // In any state.
    out.extend(u32::MAX.to_ne_bytes());
    out.extend(peer.port().to_be_bytes());
    out.extend(local.port().to_be_bytes());
    out.extend(octets(peer_ip));
    out.extend(octets(local_ip));
    // On any interface.
    out.extend([0; 4]);
    // Whichever socket it is.
    out.extend([u8::MAX; 8]);
    out
}

/// An address in sixteen bytes; one of four comes first in them.
fn octets(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        }
        IpAddr::V6(address) => address.octets(),
    }
}

/// What `struct inet_diag_msg` says, if it is about this connection: where there is none, a listener would do for the kernel.
fn owner_in(message: &[u8], peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    let number = |at: usize| message.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
    let kind = message.get(4..6)?.try_into().ok().map(u16::from_ne_bytes)?;
    let ports = [peer.port().to_be_bytes(), local.port().to_be_bytes()].concat();
    let is_connection = kind == BY_FAMILY && message.get(PORTS..PORTS + 4)? == ports;
    let is_open = number(INODE)? != 0;
    if is_connection && is_open { number(USER) } else { None }
}
