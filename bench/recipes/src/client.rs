//! Just enough HTTP for one kept connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::Result;
use crate::process::KEY;

pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    address: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) tag: String,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: &str) -> Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Client { stream: BufReader::with_capacity(1 << 18, stream), address: address.to_owned() })
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, header: &str, body: &str) -> Result<Answer> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nX-API-Key: {KEY}\r\nContent-Type: application/json\r\n{header}\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length, mut tag, mut line) = (0, 0, String::new(), String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the server hung up".into());
            }
            let text = line.trim_end();
            if text.is_empty() {
                break;
            }
            match text.split_once(": ") {
                None => status = text.split(' ').nth(1).unwrap_or_default().parse()?,
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse()?
                }
                Some((name, value)) if name.eq_ignore_ascii_case("etag") => value.clone_into(&mut tag),
                Some(_) => {}
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, tag, body })
    }

    /// An answer that must have this status.
    pub(crate) fn expect(&mut self, status: u16, method: &str, path: &str, body: &str) -> Result<Answer> {
        let answer = self.send(method, path, "", body)?;
        if answer.status == status {
            return Ok(answer);
        }
        Err(format!("{method} {path}: {} {}", answer.status, String::from_utf8_lossy(&answer.body)).into())
    }
}
