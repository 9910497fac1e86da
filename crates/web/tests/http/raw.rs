//! HTTP by hand: what goes over the socket is what the test wrote.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Instant;

use serde_json::Value;

use crate::host::PATIENCE;

/// A request that has not been sent yet.
#[derive(Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A POST as every client sends it; a body that is JSON is written as text.
    pub(crate) fn post(body: impl Into<Vec<u8>>) -> Request {
        Request { method: "POST", path: "/mcp".into(), headers: Vec::new(), body: body.into() }
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
    }

    pub(crate) fn get() -> Request {
        Request { method: "GET", path: "/mcp".into(), headers: Vec::new(), body: Vec::new() }
            .header("accept", "text/event-stream")
    }

    pub(crate) fn of_method(method: &'static str) -> Request {
        Request { method, path: "/mcp".into(), headers: Vec::new(), body: Vec::new() }
    }

    /// For another place than the endpoint.
    pub(crate) fn path(mut self, path: &str) -> Request {
        path.clone_into(&mut self.path);
        self
    }

    /// Adds a header, beside one that may be there.
    pub(crate) fn another_header(mut self, name: &str, value: &str) -> Request {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a header, instead of one that may be there.
    pub(crate) fn header(self, name: &str, value: &str) -> Request {
        let mut request = self.without(name);
        request.headers.push((name.to_owned(), value.to_owned()));
        request
    }

    pub(crate) fn without(mut self, name: &str) -> Request {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    /// Leaves out `content-length`: the body says itself where it ends.
    pub(crate) fn without_length(self) -> Request {
        self.header("content-length", "")
    }

    /// Sends it over a connection of its own and waits for the head of the response.
    pub(crate) fn send(self, to: SocketAddr) -> Response {
        self.start(to).response()
    }

    /// Sends it over a connection of its own and waits for nothing.
    pub(crate) fn start(self, to: SocketAddr) -> Connection {
        let mut connection = Connection::open(to);
        connection.write(&self);
        connection
    }
}

/// One connection; hangs up when dropped.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
}

impl Connection {
    pub(crate) fn open(to: SocketAddr) -> Connection {
        let stream = TcpStream::connect(to).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Connection { stream: BufReader::new(stream), host: to }
    }

    pub(crate) fn write(&mut self, request: &Request) {
        let bytes = self.bytes_of(request);
        self.write_bytes(&bytes);
    }

    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).expect("the server reads");
    }

    /// Says that nothing more is sent.
    pub(crate) fn close_side(&self) {
        self.stream.get_ref().shutdown(Shutdown::Write).expect("a connection");
    }

    /// Whether something came back already, be it that the server hung up.
    pub(crate) fn is_answered(&self) -> bool {
        let stream = self.stream.get_ref();
        stream.set_nonblocking(true).expect("a mode");
        let is_answered = stream.peek(&mut [0]).is_ok();
        stream.set_nonblocking(false).expect("a mode");
        is_answered
    }

    /// Whether the server hangs up when it is asked something more.
    pub(crate) fn closes_on(mut self, request: &Request) -> bool {
        let bytes = self.bytes_of(request);
        let _ = self.stream.get_mut().write_all(&bytes);
        let mut line = String::new();
        !matches!(self.stream.read_line(&mut line), Ok(length) if length > 0)
    }

    /// A request as it goes over the wire.
    pub(crate) fn bytes_of(&self, request: &Request) -> Vec<u8> {
        let said = |name: &str| request.headers.iter().any(|(known, _)| known == name);
        let mut lines = vec![format!("{} {} HTTP/1.1", request.method, request.path)];
        let headers = request.headers.iter().filter(|(_, value)| !value.is_empty());
        lines.extend(headers.map(|(name, value)| format!("{name}: {value}")));
        if !said("host") {
            lines.push(format!("host: {}", self.host));
        }
        if !said("content-length") {
            lines.push(format!("content-length: {}", request.body.len()));
        }
        [lines.join("\r\n").as_bytes(), b"\r\n\r\n", &request.body].concat()
    }

    pub(crate) fn response(mut self) -> Response {
        let status_line = self.line();
        let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("not a status line: {status_line}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Response { status, headers, connection: self, ended: false, unread: Vec::new() }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("the server answers");
        line.trim_end().to_owned()
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).expect("a whole body");
        bytes
    }
}

/// A response whose head has been read.
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    connection: Connection,
    /// The last chunk was read.
    ended: bool,
    /// What was read of an event stream and is no whole event yet.
    unread: Vec<u8>,
}

/// One event of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) data: Option<String>,
    pub(crate) retry: Option<String>,
}

impl Event {
    /// The message it carries.
    pub(crate) fn json(&self) -> Value {
        let data = self.data.as_deref().unwrap_or_else(|| panic!("no data: {self:?}"));
        serde_json::from_str(data).unwrap_or_else(|error| panic!("not JSON ({error}): {data}"))
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// The rest of the body.
    pub(crate) fn text(&mut self) -> String {
        let mut body = std::mem::take(&mut self.unread);
        if let Some(length) = self.header("content-length") {
            let length = length.parse().expect("a length");
            body.extend(self.connection.bytes(length));
        } else {
            while let Some(chunk) = self.chunk() {
                body.extend(chunk);
            }
        }
        String::from_utf8(body).expect("UTF-8")
    }

    pub(crate) fn json(&mut self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.status);
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
    }

    /// The next event; nothing at the end of the stream. Comments are left out.
    pub(crate) fn event(&mut self) -> Option<Event> {
        assert!(self.is_stream(), "{} {:?}", self.status, self.headers);
        let began = Instant::now();
        loop {
            // Comments keep the connection busy: its own timeout would never come.
            assert!(began.elapsed() < PATIENCE, "nothing but comments");
            while let Some(end) = self.unread.windows(2).position(|pair| pair == b"\n\n") {
                let text = String::from_utf8(self.unread.drain(..end + 2).collect()).expect("UTF-8");
                let event = parse(&text);
                if event != Event::default() {
                    return Some(event);
                }
            }
            let chunk = self.chunk()?;
            self.unread.extend(chunk);
        }
    }

    /// The next message of an event stream; events without one are passed over.
    pub(crate) fn message(&mut self) -> Value {
        loop {
            let event = self.event().expect("another message");
            if event.data.as_ref().is_some_and(|data| !data.is_empty()) {
                return event.json();
            }
        }
    }

    /// Whether the connection ends after it.
    pub(crate) fn ends(mut self) -> bool {
        while self.is_stream() && self.chunk().is_some() {}
        matches!(self.connection.stream.read(&mut [0]), Ok(0))
    }

    fn chunk(&mut self) -> Option<Vec<u8>> {
        if self.ended || self.header("content-length") == Some("0") {
            return None;
        }
        let line = self.connection.line();
        let length = usize::from_str_radix(&line, 16).unwrap_or_else(|_| panic!("not a length: {line}"));
        let chunk = self.connection.bytes(length);
        self.connection.bytes(2);
        self.ended = length == 0;
        (!self.ended).then_some(chunk)
    }

    /// The connection again, once the body was read.
    pub(crate) fn into_connection(self) -> Connection {
        self.connection
    }
}

fn parse(text: &str) -> Event {
    let mut event = Event::default();
    for line in text.lines().filter(|line| !line.starts_with(':')) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = Some(value.trim_start().to_owned());
        match field {
            "id" => event.id = value,
            "data" => event.data = value,
            "retry" => event.retry = value,
            other => assert!(other.is_empty(), "an unknown field: {text}"),
        }
    }
    event
}
