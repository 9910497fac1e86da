//! One connection: requests in, answers out, as much of HTTP/1.1 as clients of models use.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::behaviour::Behaviour;
use crate::speak::{Dialect, Reply};
use crate::state::{Seen, State};

const MOST_BODY: u64 = 256 << 20;

pub(crate) fn serve(stream: &TcpStream, state: &State) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some((seen, raw)) = read(&mut reader, stream)? {
        if let Some(path) = seen.path.strip_prefix("/__stub/") {
            steer(stream, state, &seen.method, path, &raw)?;
            continue;
        }
        let behaviour = state.take(seen.clone());
        let dialect = Dialect::of(&seen.path);
        match answer(stream, state, dialect, &seen, behaviour) {
            Ok(true) => {}
            Ok(false) => break,
            // Nobody takes the answer any more: this client was quicker than the first words of it.
            Err(_) => {
                state.hung_up();
                break;
            }
        }
    }
    Ok(())
}

/// The next request, and its body as it came; `None` when the client is done.
fn read(reader: &mut impl BufRead, mut writer: &TcpStream) -> io::Result<Option<(Seen, Vec<u8>)>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut words = first.split_whitespace();
    let (method, path) =
        (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let header =
        |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    if header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut raw = Vec::new();
    if header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size)?;
            let length = u64::from_str_radix(size.trim(), 16).unwrap_or_default();
            reader.take(length).read_to_end(&mut raw)?;
            let mut end = String::new();
            reader.read_line(&mut end)?;
            if length == 0 {
                break;
            }
        }
    } else {
        let length: u64 = header("content-length").and_then(|value| value.parse().ok()).unwrap_or_default();
        reader.take(length.min(MOST_BODY)).read_to_end(&mut raw)?;
    }
    let body = serde_json::from_slice(&raw).unwrap_or(Value::Null);
    Ok(Some((Seen { method, path, headers, body }, raw)))
}

/// Other programs' way to say and see what tests say and see directly.
fn steer(stream: &TcpStream, state: &State, method: &str, path: &str, raw: &[u8]) -> io::Result<()> {
    match (method, path) {
        ("GET", "journal") => {
            let journal = serde_json::to_vec(&state.seen()).unwrap_or_default();
            write_whole(stream, 200, "application/json", &[], &journal)
        }
        ("DELETE", "journal") => {
            state.forget();
            write_whole(stream, 200, "application/json", &[], b"{}")
        }
        ("POST", "next") => match serde_json::from_slice::<Behaviour>(raw) {
            Ok(behaviour) => {
                state.push(behaviour);
                write_whole(stream, 200, "application/json", &[], b"{}")
            }
            Err(error) => write_whole(stream, 400, "text/plain", &[], error.to_string().as_bytes()),
        },
        _ => write_whole(stream, 404, "text/plain", &[], b"there is `journal` and `next`"),
    }
}

/// Answers, and says whether the connection goes on.
fn answer(
    stream: &TcpStream,
    state: &State,
    dialect: Option<Dialect>,
    seen: &Seen,
    behaviour: Option<Behaviour>,
) -> io::Result<bool> {
    let behaviour = behaviour.unwrap_or_else(|| Behaviour::answer("The stub looked at it."));
    match &behaviour {
        Behaviour::Drop => return Ok(false),
        Behaviour::Silence => {
            wait_for_the_end(stream, state);
            return Ok(false);
        }
        Behaviour::Malformed => {
            write_whole(stream, 200, "application/json", &[], b"{\"choices\": [{\"message\": ")?;
            return Ok(true);
        }
        Behaviour::Endless => {
            write_head(stream, 200, "application/json", &[("transfer-encoding", "chunked")])?;
            let spaces = vec![b' '; 1 << 16];
            while write_chunk(stream, &spaces).is_ok() {}
            state.hung_up();
            return Ok(false);
        }
        Behaviour::Redirect { location } => {
            write_whole(stream, 302, "text/plain", &[("location", location)], b"")?;
            return Ok(true);
        }
        Behaviour::File { mime, bytes } => {
            write_whole(stream, 200, mime, &[], bytes)?;
            return Ok(true);
        }
        _ => {}
    }
    let Some(dialect) = dialect else {
        write_whole(stream, 404, "text/plain", &[], b"no provider has this path")?;
        return Ok(true);
    };
    if let Behaviour::Fail { status, code, message, headers } = &behaviour {
        let message = message.replace("{key}", seen.key());
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let body = dialect.failure(*status, code, &message).to_string();
        write_whole(stream, *status, "application/json", &headers, body.as_bytes())?;
        return Ok(true);
    }
    let reply = Reply::new(dialect, seen, &behaviour);
    if !dialect.streams(seen) {
        let body = reply.whole().to_string();
        if matches!(behaviour, Behaviour::Truncate | Behaviour::Stall) {
            write_head(stream, 200, "application/json", &[("content-length", &body.len().to_string())])?;
            (&mut &*stream).write_all(&body.as_bytes()[..body.len() / 2])?;
            if behaviour == Behaviour::Stall {
                wait_for_the_end(stream, state);
            }
            return Ok(false);
        }
        write_whole(stream, 200, "application/json", &[], body.as_bytes())?;
        return Ok(true);
    }
    write_head(stream, 200, dialect.stream_type(), &[("transfer-encoding", "chunked")])?;
    let pieces = reply.pieces();
    let count = if matches!(behaviour, Behaviour::Truncate | Behaviour::Stall) {
        pieces.len() / 2
    } else {
        pieces.len()
    };
    for piece in pieces.iter().take(count) {
        write_chunk(stream, piece.as_bytes())?;
    }
    if behaviour == Behaviour::Stall {
        wait_for_the_end(stream, state);
    }
    if count < pieces.len() {
        return Ok(false);
    }
    write_chunk(stream, b"")?;
    Ok(true)
}

/// Returns when the client has closed the connection.
fn wait_for_the_end(stream: &TcpStream, state: &State) {
    let mut buffer = [0; 64];
    while matches!((&mut &*stream).read(&mut buffer), Ok(count) if count > 0) {}
    state.hung_up();
}

fn write_head(mut stream: &TcpStream, status: u16, mime: &str, headers: &[(&str, &str)]) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} Stub\r\ncontent-type: {mime}\r\n");
    for (name, value) in headers {
        for part in [name, ": ", value, "\r\n"] {
            head.push_str(part);
        }
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())
}

fn write_whole(
    mut stream: &TcpStream,
    status: u16,
    mime: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<()> {
    let length = body.len().to_string();
    let mut all = vec![("content-length", length.as_str())];
    all.extend_from_slice(headers);
    write_head(stream, status, mime, &all)?;
    stream.write_all(body)
}

/// A chunk; an empty one is the end.
fn write_chunk(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    stream.write_all(&chunk)
}
