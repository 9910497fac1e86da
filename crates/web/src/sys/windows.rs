//! Windows: the system tells which process has a connection, and that process whom it runs as.
#![allow(unsafe_code, reason = "system calls that have no safe form")]

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use files::account::Sid;
use windows_sys::Win32::Foundation::ERROR_INSUFFICIENT_BUFFER;
use windows_sys::Win32::NetworkManagement::IpHelper::{
    GetExtendedTcpTable, MIB_TCP_STATE_ESTAB, MIB_TCP6ROW_OWNER_MODULE, MIB_TCPROW_OWNER_MODULE,
    TCP_TABLE_OWNER_MODULE_CONNECTIONS,
};
use windows_sys::Win32::Networking::WinSock::{AF_INET, AF_INET6};

/// Whether the system tells whose process is at the other end.
pub const IS_TOLD: bool = true;

/// How to find out: there is one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way;

#[cfg(test)]
pub(crate) const WAYS: [Way; 1] = [Way];

/// Far more connections than a machine has; the table grows while it is asked for.
const MOST_BYTES: u32 = 64 << 20;

impl Way {
    pub(crate) fn find() -> Way {
        Way
    }

    /// Whether it takes so little time that nobody else notices.
    #[allow(clippy::unused_self, reason = "other systems have several ways")]
    pub(crate) fn is_quick(self) -> bool {
        false
    }

    /// The user whose process has the socket that is connected from `peer` to `local`.
    #[allow(clippy::unused_self, reason = "other systems have several ways")]
    pub(crate) fn owner(self, peer: SocketAddr, local: SocketAddr) -> io::Result<Option<Sid>> {
        let process = match (peer, local) {
            (SocketAddr::V4(_), SocketAddr::V4(_)) => process_v4(peer, local)?,
            (SocketAddr::V6(_), SocketAddr::V6(_)) => process_v6(peer, local)?,
            (SocketAddr::V4(_), SocketAddr::V6(_)) | (SocketAddr::V6(_), SocketAddr::V4(_)) => None,
        };
        match process {
            // The number of a process that ended may be another's by now: that one began after the connection.
            Some(End { process, made }) => Sid::of_process_begun_before(process, made),
            None => Ok(None),
        }
    }
}

/// One end of a connection: the process that made it, and when, in units of 100 ns since 1601.
struct End {
    process: u32,
    made: i64,
}

impl End {
    /// Where the system does not say when, as wine does not, it counts as just made.
    fn new(process: u32, made: i64) -> End {
        End { process, made: if made == 0 { i64::MAX } else { made } }
    }
}

fn process_v4(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<End>> {
    let rows: Vec<MIB_TCPROW_OWNER_MODULE> = table(u32::from(AF_INET))?;
    let end =
        |address: u32, port: u32| SocketAddr::from((Ipv4Addr::from(address.to_ne_bytes()), port_of(port)));
    let found = rows.iter().find(|row| {
        row.dwState == MIB_TCP_STATE_ESTAB.cast_unsigned()
            && end(row.dwLocalAddr, row.dwLocalPort) == peer
            && end(row.dwRemoteAddr, row.dwRemotePort) == local
    });
    Ok(found.map(|row| End::new(row.dwOwningPid, row.liCreateTimestamp)))
}

fn process_v6(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<End>> {
    let rows: Vec<MIB_TCP6ROW_OWNER_MODULE> = table(u32::from(AF_INET6))?;
    let end = |address: [u8; 16], port: u32| (Ipv6Addr::from(address), port_of(port));
    let key = |address: SocketAddr| match address {
        SocketAddr::V6(address) => (*address.ip(), address.port()),
        SocketAddr::V4(address) => (address.ip().to_ipv6_mapped(), address.port()),
    };
    let found = rows.iter().find(|row| {
        row.dwState == MIB_TCP_STATE_ESTAB.cast_unsigned()
            && end(row.ucLocalAddr, row.dwLocalPort) == key(peer)
            && end(row.ucRemoteAddr, row.dwRemotePort) == key(local)
    });
    Ok(found.map(|row| End::new(row.dwOwningPid, row.liCreateTimestamp)))
}

/// The low half, high byte first.
fn port_of(port: u32) -> u16 {
    u16::from_be((port & 0xffff) as u16)
}

/// All connections of one family.
fn table<Row: Copy>(family: u32) -> io::Result<Vec<Row>> {
    let mut bytes = 16 << 10;
    loop {
        // Words, so that rows are where the processor wants them.
        let mut room = vec![0_u64; (bytes as usize).div_ceil(8)];
        // SAFETY: the buffer has as many bytes as is said.
        let status = unsafe {
            GetExtendedTcpTable(
                room.as_mut_ptr().cast(),
                &raw mut bytes,
                0,
                family,
                TCP_TABLE_OWNER_MODULE_CONNECTIONS,
                0,
            )
        };
        match status {
            0 => return Ok(rows(&room)),
            ERROR_INSUFFICIENT_BUFFER if bytes < MOST_BYTES => bytes += 4 << 10,
            status => return Err(io::Error::from_raw_os_error(status.cast_signed())),
        }
    }
}

/// The table is a count in a word of its own and as many rows, which consist of words.
fn rows<Row: Copy>(room: &[u64]) -> Vec<Row> {
    let Some((count, rest)) = room.split_first() else { return Vec::new() };
    let words = size_of::<Row>() / size_of::<u64>();
    let whole = rest.chunks_exact(words.max(1)).take((*count & u64::from(u32::MAX)) as usize);
    // SAFETY: a row is made of words, and the chunk has as many as it needs.
    whole.map(|row| unsafe { row.as_ptr().cast::<Row>().read_unaligned() }).collect()
}

/// The user we run as.
pub(crate) fn ourselves() -> io::Result<Sid> {
    Sid::of_this_user()
}

/// Does something when the system or the person at the console ends the process.
pub(crate) fn on_signals<F: FnOnce() + Send + 'static>(act: impl Fn() -> F) -> io::Result<()> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

    let (mut c, mut pause, mut close, mut end) = (ctrl_c()?, ctrl_break()?, ctrl_close()?, ctrl_shutdown()?);
    let act = act();
    tokio::spawn(async move {
        tokio::select! {
            _ = c.recv() => {}
            _ = pause.recv() => {}
            _ = close.recv() => {}
            _ = end.recv() => {}
        }
        act();
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::{Way, ourselves};

    #[test]
    fn a_connection_of_our_own_is_ours_until_it_is_closed() {
        let us = Some(ourselves().expect("our user"));
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(address).expect("a port");
            let client =
                TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
            let (server, peer) = listener.accept().expect("a connection");
            let local = server.local_addr().expect("an address");
            assert_eq!(Way.owner(peer, local).expect("an answer"), us, "{address}");
            drop(client);
            assert_eq!(Way.owner(peer, local).expect("an answer"), None, "{address}: closed");
        }
    }

    #[test]
    fn a_listener_is_not_taken_for_a_client() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        assert_eq!(Way.owner(address, ([127, 0, 0, 1], 1).into()).expect("an answer"), None);
    }
}
