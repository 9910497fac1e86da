//! The fixture behind a listener, for one test.

use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use mcp::http::Policy;
use mcp::{Change, Listening};
use mcp_testkit::fixture;
use web::{Gate, Limits, Listener, Shutdown, Site};

/// Long enough for a loaded machine; only a hang gets there.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server that listens until dropped.
pub(crate) struct Host {
    pub(crate) state: Arc<fixture::State>,
    /// The same endpoint behind two listeners: it takes clients of one for other callers than those of the other.
    pub(crate) door: SocketAddr,
    pub(crate) other_door: SocketAddr,
    stop: Shutdown,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    pub(crate) fn start() -> Host {
        Host::with(Policy::default())
    }

    pub(crate) fn with(policy: Policy) -> Host {
        Host::limited(policy, Limits::default())
    }

    pub(crate) fn limited(policy: Policy, limits: Limits) -> Host {
        let local = |address| Gate::new(address, None).expect("loopback needs no token");
        Host::behind(policy, limits, local)
    }

    /// Behind a gate of the test's own.
    pub(crate) fn behind(
        policy: Policy,
        limits: Limits,
        gate: impl Fn(SocketAddr) -> Gate + Send + 'static,
    ) -> Host {
        let server = Arc::new(fixture::server());
        let state = Arc::clone(server.state());
        let stop = Shutdown::new();
        let told = stop.clone();
        let (doors, open) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async move {
                let endpoint = mcp::http::endpoint(server, policy);
                let one = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a port");
                let other = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a port");
                doors.send((one.address(), other.address())).expect("somebody waits");
                let serve = |listener: Listener| {
                    let gate = gate(listener.address());
                    listener.limits(limits).serve(
                        Site::default()
                            .endpoint("/mcp", endpoint.clone())
                            .private_router("/person", person()),
                        gate,
                        told.clone(),
                    )
                };
                tokio::join!(serve(one), serve(other));
            });
        });
        let (door, other_door) = open.recv_timeout(PATIENCE).expect("the server starts");
        Host { state, door, other_door, stop, thread: Some(thread) }
    }

    /// Hears of changes from now on, among them what the tool `never` tells about itself.
    pub(crate) fn listen(&self) -> News {
        let (told, heard) = mpsc::channel();
        let told = Mutex::new(told);
        let listening = self.state.changes.listen(move |change| {
            let _ = told.lock().expect("not poisoned").send(change.clone());
        });
        News { heard, _listening: listening }
    }

    /// Tells the server to stop, as a signal would.
    pub(crate) fn stop(&self) {
        self.stop.now();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.now();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))), "the server panicked");
    }
}

pub(crate) struct News {
    heard: Receiver<Change>,
    _listening: Listening,
}

impl News {
    /// Waits until it is told that this resource changed.
    pub(crate) fn wait_for(&self, uri: &str) {
        while self.heard.recv_timeout(PATIENCE).expect("news") != Change::Resource(uri.to_owned()) {}
    }
}

/// Pages on which only the person acts.
fn person() -> web::axum::Router {
    web::axum::Router::new().route("/person", web::axum::routing::get(|| async { "hello" }))
}
