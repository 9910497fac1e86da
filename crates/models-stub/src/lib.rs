//! For tests: a provider of models on this machine. It speaks the wire formats of z.ai, OpenAI (both), Anthropic, Gemini and
//! Ollama, each at its own path, remembers what it was asked, and answers as a test wants: well, badly or not at all.
//!
//! Other programs start it as `models-stub` and steer it over HTTP: `POST /__stub/next` with a [`Behaviour`],
//! `GET /__stub/journal` for what was [`Seen`].

mod behaviour;
mod connection;
mod environment;
mod speak;
mod state;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

pub use behaviour::Behaviour;
pub use environment::{KEY, clean};
pub use state::Seen;
use state::State;

/// A provider that runs as long as this lives.
pub struct Stub {
    address: SocketAddr,
    state: Arc<State>,
}

impl Stub {
    /// Starts one on a free port of this machine.
    pub fn start() -> io::Result<Stub> {
        Stub::start_at(0)
    }

    /// Starts one on this port.
    pub fn start_at(port: u16) -> io::Result<Stub> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over() {
                    break;
                }
                let shared = Arc::clone(&shared);
                if let Ok(stream) = stream {
                    // A client that goes away is what some tests are about.
                    thread::spawn(move || drop(connection::serve(&stream, &shared)));
                }
            }
        });
        Ok(Stub { address, state })
    }

    /// Where it is, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What the next request gets; those after it get what is said next, and in the end a plain answer.
    pub fn next(&self, behaviour: Behaviour) {
        self.state.push(behaviour);
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen()
    }

    /// Waits until there were this many requests.
    pub fn wait_for_requests(&self, count: usize) {
        self.state.wait(|state| state.seen.len() >= count);
    }

    /// Waits until this many clients hung up on an answer that was still coming.
    pub fn wait_for_hang_ups(&self, count: usize) {
        self.state.wait(|state| state.hang_ups >= count);
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.state.end();
        // The listener looks up when somebody comes.
        drop(TcpStream::connect(self.address));
    }
}
