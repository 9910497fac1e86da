//! Whose process is at the other end of a connection on this machine.

use std::io;
use std::net::{IpAddr, SocketAddr};

/// The user that owns the socket connected from `peer` to `local`, where the system tells.
///
/// The kernel lists every TCP socket with its owner; the peer's own socket is there with our addresses
/// the other way round.
#[cfg(target_os = "linux")]
pub(crate) fn owner(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<u32>> {
    let table = match peer {
        SocketAddr::V4(_) => "/proc/net/tcp",
        SocketAddr::V6(_) => "/proc/net/tcp6",
    };
    let wanted = format!("{} {}", hexadecimal(peer), hexadecimal(local));
    let text = std::fs::read_to_string(table)?;
    Ok(text
        .lines()
        .find(|line| line.contains(&wanted))
        .and_then(|line| line.split_whitespace().nth(7)?.parse().ok()))
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

/// An address as the kernel prints it: words in the machine's own byte order.
#[cfg(target_os = "linux")]
fn hexadecimal(address: SocketAddr) -> String {
    use std::fmt::Write as _;

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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_connection_of_our_own_is_ours() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(address).expect("a port");
            let _client =
                TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
            let (server, peer) = listener.accept().expect("a connection");
            let owner = super::owner(peer, server.local_addr().expect("an address")).expect("the table");
            assert_eq!(owner, Some(super::ourselves().expect("our user")), "{address}");
        }
    }

    #[test]
    fn addresses_are_written_as_the_kernel_writes_them() {
        assert_eq!(super::hexadecimal("127.0.0.1:8642".parse().expect("an address")), "0100007F:21C2");
        let v6 = super::hexadecimal("[::1]:80".parse().expect("an address"));
        assert_eq!(v6, "00000000000000000000000001000000:0050");
    }
}
