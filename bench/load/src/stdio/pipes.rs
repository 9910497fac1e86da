//! A server at the other end of two pipes.

use std::{
    io::{ErrorKind, Read, Write},
    process::{ChildStdin, ChildStdout, Stdio},
    sync::Arc,
};

use memchr::memchr;
use rustix::pipe::fcntl_setpipe_size;

use crate::{
    Result,
    probe::Memory,
    reply::Checker,
    request::{Call, Era, FIRST_ID, INITIALIZED, Template},
    server::{PATIENCE, Server},
};

/// The most an ordinary user may ask for; a picture then passes in two reads, for any server alike.
const PIPE_BYTES: usize = 1 << 20;
const BUFFER_BYTES: usize = 4 << 20;

pub(crate) struct Peer {
    pub(crate) server: Arc<Server>,
    pub(crate) era: Era,
    pub(crate) requests: ChildStdin,
    pub(crate) replies: Lines,
    next_id: u64,
}

impl Peer {
    /// Starts the server and waits for its first reply.
    pub(crate) fn greet(command: &str, era: Era) -> Result<Self> {
        let (server, (requests, replies)) = Server::start(command, Stdio::piped, |child| {
            Ok((child.stdin.take().ok_or("no stdin")?, child.stdout.take().ok_or("no stdout")?))
        })?;
        fcntl_setpipe_size(&requests, PIPE_BYTES)?;
        fcntl_setpipe_size(&replies, PIPE_BYTES)?;
        let (server, replies) = (Arc::new(server), Lines::new(replies));
        let mut peer = Self { server, era, requests, replies, next_id: FIRST_ID };
        Arc::clone(&peer.server).within(PATIENCE, "greeting", || match era {
            Era::Modern => peer.ask(Call::Discover),
            Era::Legacy => {
                peer.ask(Call::Initialize)?;
                Ok(peer.requests.write_all(format!("{INITIALIZED}\n").as_bytes())?)
            }
        })?;
        Ok(peer)
    }

    fn ask(&mut self, call: Call) -> Result<()> {
        let id = self.take_ids(1);
        self.requests.write_all(Template::line(call, self.era).stamp(id))?;
        Checker::new(call).expect(self.replies.next()?, id)
    }

    /// The first of so many ids not used before.
    pub(crate) fn take_ids(&mut self, count: u64) -> u64 {
        let first = self.next_id;
        self.next_id += count;
        first
    }

    pub(crate) fn megabytes(&self, memory: Memory) -> Result<f64> {
        Ok(self.server.memory_kib(memory)? / 1024.0)
    }
}

/// The lines a server writes.
pub(crate) struct Lines {
    stdout: ChildStdout,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Lines {
    fn new(stdout: ChildStdout) -> Self {
        Self { stdout, buffer: vec![0; BUFFER_BYTES], start: 0, end: 0 }
    }

    /// The next line, without its end; reads only if there is none yet.
    pub(crate) fn next(&mut self) -> Result<&[u8]> {
        let mut searched = self.start;
        loop {
            if let Some(len) = memchr(b'\n', &self.buffer[searched..self.end]) {
                let line = self.start..searched + len;
                self.start = line.end + 1;
                return Ok(&self.buffer[line]);
            }
            searched = self.end - self.start;
            self.make_room();
            self.end += self.read()?;
        }
    }

    /// Whether a whole line is here without reading.
    pub(crate) fn has_line(&self) -> bool {
        memchr(b'\n', &self.buffer[self.start..self.end]).is_some()
    }

    /// Moves what is left to the front, where the cache is warm; mostly there is nothing left.
    fn make_room(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
    }

    fn read(&mut self) -> Result<usize> {
        loop {
            match self.stdout.read(&mut self.buffer[self.end..]) {
                Ok(0) if self.end == self.buffer.len() => return Err("a reply longer than the buffer".into()),
                Ok(0) => return Err("the server closed its output".into()),
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("cannot read from the server: {error}").into()),
            }
        }
    }
}
