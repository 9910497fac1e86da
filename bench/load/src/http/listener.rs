//! A server that listens on a port of ours.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use super::{connection::Connection, framing::field};
use crate::{
    Result,
    probe::Memory,
    reply::{Checker, excerpt},
    request::{Call, Era, FIRST_ID, INITIALIZED, Template},
    server::{PATIENCE, Server},
};

pub(crate) struct Listener {
    pub(crate) server: Server,
    address: SocketAddr,
    path: String,
    era: Era,
    /// The session all requests belong to, in the legacy era.
    session: Option<String>,
}

impl Listener {
    /// Starts the server, waits until it listens, and says hello.
    pub(crate) fn greet(command: &str, path: &str, era: Era) -> Result<Self> {
        if !command.contains("{port}") {
            return Err(format!("no `{{port}}` in `{command}`").into());
        }
        let port = free_port()?;
        let command = command.replace("{port}", &port.to_string());
        let (server, ()) = Server::start(&command, Stdio::null, |_| Ok(()))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut listener = Self { server, address, path: path.to_owned(), era, session: None };
        let mut connection = listener.first_connection()?;
        match era {
            Era::Modern => {
                let reply = connection.ask(listener.requests(Call::Discover).stamp(FIRST_ID))?;
                Checker::new(Call::Discover).expect(connection.body(&reply), FIRST_ID)?;
            }
            Era::Legacy => listener.session = Some(listener.open_session(&mut connection)?),
        }
        Ok(listener)
    }

    /// The same server, with requests that belong to no session yet.
    pub(crate) fn without_session(self) -> Self {
        Self { session: None, ..self }
    }

    fn first_connection(&self) -> Result<Connection> {
        let begin = Instant::now();
        loop {
            match Connection::open(self.address) {
                Ok(connection) => return Ok(connection),
                Err(error) if begin.elapsed() > PATIENCE => return Err(error),
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    pub(crate) fn connect(&self, count: usize) -> Result<Vec<Connection>> {
        (0..count).map(|_| Connection::open(self.address)).collect()
    }

    pub(crate) fn requests(&self, call: Call) -> Template {
        Template::new(self.post(&self.fields(call), &call.json(self.era)))
    }

    /// The header fields of the protocol.
    fn fields(&self, call: Call) -> String {
        match (self.era, &self.session) {
            (Era::Modern, _) => {
                let name = call.tool().map(|tool| format!("Mcp-Name: {tool}\r\n")).unwrap_or_default();
                let (version, method) = (self.era.version(), call.method());
                format!("MCP-Protocol-Version: {version}\r\nMcp-Method: {method}\r\n{name}")
            }
            (Era::Legacy, Some(session)) => session_fields(session),
            // The version is what `initialize` is yet to settle.
            (Era::Legacy, None) => String::new(),
        }
    }

    /// `initialize` and what a client says after it; gives the id of the session.
    pub(crate) fn open_session(&self, connection: &mut Connection) -> Result<String> {
        let reply = connection.ask(self.requests(Call::Initialize).stamp(FIRST_ID))?;
        Checker::new(Call::Initialize).expect(connection.body(&reply), FIRST_ID)?;
        let session = field(connection.head(&reply), "mcp-session-id").map(<[u8]>::to_vec);
        let session = String::from_utf8(session.ok_or("initialize was answered without Mcp-Session-Id")?)?;
        let reply = connection.ask(&self.post(&session_fields(&session), INITIALIZED))?;
        match reply.status {
            202 => Ok(session),
            status => {
                let body = excerpt(connection.body(&reply));
                Err(format!("notifications/initialized was answered with {status}: {body}").into())
            }
        }
    }

    fn post(&self, fields: &str, body: &str) -> Vec<u8> {
        let Self { path, address, .. } = self;
        let len = body.len();
        format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\n{fields}Content-Length: {len}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    pub(crate) fn megabytes(&self, memory: Memory) -> Result<f64> {
        Ok(self.server.memory_kib(memory)? / 1024.0)
    }
}

fn session_fields(session: &str) -> String {
    format!("MCP-Protocol-Version: {}\r\nMcp-Session-Id: {session}\r\n", Era::Legacy.version())
}

/// Free a moment ago, which is as good as it gets without help from the server.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
