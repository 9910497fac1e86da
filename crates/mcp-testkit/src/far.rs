//! The far side of a relay: a service on a socket, in this process, that can go away and come back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcp::relay::{Options, local};
use mcp::stdio::Limits;
use mcp::{Caller, Changes, Cx, Handled, Relay, Request, Service, Surface};
use tokio::runtime::{Builder, Runtime};

use crate::Folder;
pub use crate::sys::Listener;
use crate::sys::address;

/// A place for a socket, gone with the test.
pub struct Place(Folder);

impl Place {
    /// A folder of its own.
    pub fn new() -> Place {
        Place(Folder::new())
    }

    /// Where the socket is, or will be; on Windows, the name of a pipe.
    pub fn socket(&self) -> PathBuf {
        address(self.0.as_path())
    }
}

impl Default for Place {
    fn default() -> Place {
        Place::new()
    }
}

/// A service on a socket. Dropping it cuts every connection.
pub struct Far {
    runtime: Option<Runtime>,
    socket: PathBuf,
}

impl Far {
    /// Serves everybody who connects.
    pub fn start(service: Arc<dyn Service>, socket: &Path) -> Far {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        let listener = {
            let _entered = runtime.enter();
            Listener::bind(socket).unwrap_or_else(|error| panic!("{}: {error}", socket.display()))
        };
        runtime.spawn(accept(service, listener));
        Far { runtime: Some(runtime), socket: socket.to_owned() }
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
        if let Some(runtime) = self.runtime.take() {
            // Waits: when this returns, nothing is served any more.
            runtime.shutdown_timeout(Duration::from_secs(30));
        }
    }
}

/// Serves whoever connects, with what the kernel says about them.
pub async fn accept(service: Arc<dyn Service>, mut listener: Listener) {
    while let Ok((stream, pid)) = listener.accept().await {
        let caller = Caller { principal: "relay".into(), pid, ..Caller::default() };
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            let _ = mcp::stream::serve(service, stream, caller, Limits::default()).await;
        });
    }
}

/// A service behind a relay, as one service: what a client sees must be the same.
pub struct Through {
    relay: Relay,
    _far: Far,
    _place: Place,
}

impl Through {
    /// Puts a relay and a socket in front of a service.
    pub fn relay(service: Arc<dyn Service>) -> Through {
        let place = Place::new();
        let relay = Relay::new(service.surface(), local(place.socket()), Options::default());
        let far = Far::start(service, &place.socket());
        Through { relay, _far: far, _place: place }
    }
}

impl Service for Through {
    fn surface(&self) -> Arc<Surface> {
        self.relay.surface()
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        self.relay.handle(request, cx)
    }

    fn changes(&self) -> &Changes {
        self.relay.changes()
    }
}
