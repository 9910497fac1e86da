//! The owner of a socket, from the tables of TCP sockets in procfs. The peer's own socket is there with our addresses the
//! other way round.

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, SocketAddr};

/// Where the user stands in a line, and the file that a process has the socket as.
const USER: usize = 7;
const INODE: usize = 9;

/// The user whose process has the socket that is connected from `peer` to `local`.
pub(super) fn owner(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<u32>> {
    let canonical = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
    let (peer, local) = (canonical(peer), canonical(local));
    if peer.is_ipv4()
        && let Some(owner) = find("/proc/net/tcp", peer, local)?
    {
        return Ok(Some(owner));
    }
    // A client may speak IPv4 through a socket for both.
    find("/proc/net/tcp6", mapped(peer), mapped(local))
}

fn mapped(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) => (ip.to_ipv6_mapped(), address.port()).into(),
        IpAddr::V6(_) => address,
    }
}

fn find(table: &str, peer: SocketAddr, local: SocketAddr) -> io::Result<Option<u32>> {
    let wanted = format!("{} {}", hexadecimal(peer), hexadecimal(local));
    let text = std::fs::read_to_string(table)?;
    Ok(text.lines().find(|line| line.contains(&wanted)).and_then(|line| {
        let is_open = line.split_whitespace().nth(INODE)? != "0";
        let user = line.split_whitespace().nth(USER)?.parse().ok()?;
        is_open.then_some(user)
    }))
}

/// An address as the kernel prints it: words in the machine's own byte order.
fn hexadecimal(address: SocketAddr) -> String {
    let mut text = String::new();
    let octets: Vec<u8> = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    for word in octets.chunks_exact(4) {
        let word = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        let _ = write!(text, "{word:08X}");
    }
    let _ = write!(text, ":{:04X}", address.port());
    text
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;

    #[test]
    fn addresses_are_written_as_the_kernel_writes_them() {
        assert_eq!(hexadecimal("127.0.0.1:8642".parse().expect("an address")), "0100007F:21C2");
        let v6 = hexadecimal("[::1]:80".parse().expect("an address"));
        assert_eq!(v6, "00000000000000000000000001000000:0050");
    }
}
