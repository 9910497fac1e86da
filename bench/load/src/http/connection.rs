//! One keep-alive connection with at most one request under way.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    ops::Range,
};

use super::framing::{Body, Response, response};
use crate::{Result, server::PATIENCE};

const FIRST_BUFFER: usize = 16 << 10;

pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
}

/// A response, as places in the connection's buffer; good until the next one is read.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) wire_len: usize,
    head: Range<usize>,
    body: Range<usize>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)
            .map_err(|error| format!("cannot connect to {address}: {error}"))?;
        stream.set_nodelay(true)?;
        // Costs nothing per call, unlike a poll before each read.
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, buffer: vec![0; FIRST_BUFFER], filled: 0 })
    }

    pub(crate) fn send(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).map_err(|error| format!("cannot send to the server: {error}").into())
    }

    /// Reads once, and gives the reply if that was the last of it.
    pub(crate) fn read(&mut self) -> Result<Option<Reply>> {
        self.fill()?;
        let Some(Response { status, head, body, len }) = response(&self.buffer[..self.filled])? else {
            return Ok(None);
        };
        if len < self.filled {
            return Err("more was sent than one response to one request".into());
        }
        self.filled = 0;
        let body = match body {
            Body::Whole(range) => range,
            Body::Chunks(chunks) => self.join(&chunks),
        };
        Ok(Some(Reply { status, wire_len: len, head, body }))
    }

    /// Sends and waits.
    pub(crate) fn ask(&mut self, request: &[u8]) -> Result<Reply> {
        self.send(request)?;
        loop {
            if let Some(reply) = self.read()? {
                return Ok(reply);
            }
        }
    }

    pub(crate) fn head(&self, reply: &Reply) -> &[u8] {
        &self.buffer[reply.head.clone()]
    }

    pub(crate) fn body(&self, reply: &Reply) -> &[u8] {
        &self.buffer[reply.body.clone()]
    }

    fn fill(&mut self) -> Result<()> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 2, 0);
        }
        loop {
            match self.stream.read(&mut self.buffer[self.filled..]) {
                Ok(0) => return Err("the server closed the connection".into()),
                Ok(count) => {
                    self.filled += count;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Err(format!("no answer within {PATIENCE:?}").into());
                }
                Err(error) => return Err(format!("cannot read from the server: {error}").into()),
            }
        }
    }

    /// Moves the chunks together, so that a body is one piece whichever way it came.
    fn join(&mut self, chunks: &[Range<usize>]) -> Range<usize> {
        let start = chunks.first().map_or(0, |chunk| chunk.start);
        let mut end = start;
        for chunk in chunks {
            self.buffer.copy_within(chunk.clone(), end);
            end += chunk.len();
        }
        start..end
    }
}
