//! The port of `deskmate serve`: who listens there.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::check::Check;

const PATIENCE: Duration = Duration::from_secs(3);

/// Enough of an answer to know who gave it.
const ENOUGH: u64 = 64 << 10;

pub(super) fn look(port: u16) -> Vec<Check> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let url = format!("http://{address}/");
    let Ok(stream) = TcpStream::connect_timeout(&address, PATIENCE) else {
        let found = format!("nothing listens at {url}, which only clients without stdio need");
        let fix = "run `deskmate serve`, or `deskmate serve --install` to keep it running";
        return vec![Check::not_set_up("HTTP", found, fix)];
    };
    vec![if is_deskmate(stream, address) {
        Check::ok("HTTP", format!("Deskmate serves at {url}"))
    } else {
        let found = format!("another program listens at {url}");
        Check::problem("HTTP", found, "choose another port with `deskmate serve --port`")
    }]
}

/// Whether the answer is one of ours: our name, or the refusal of a server with a token. Not the first page, which makes a report
/// like this one.
fn is_deskmate(mut stream: TcpStream, address: SocketAddr) -> bool {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let request = format!("GET /desk/health HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut said = Vec::new();
    let asked =
        stream.write_all(request.as_bytes()).and_then(|()| stream.take(ENOUGH).read_to_end(&mut said));
    let said = String::from_utf8_lossy(&said);
    asked.is_ok() && (said.contains("\r\n\r\nDeskmate ") || said.contains("the token of this server"))
}
