//! One connection: requests in, through the gate, answers out.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use mcp::Caller;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::connections::Place;
use crate::gate::Gate;
use crate::site::Site;
use crate::tracked::{Arriving, Socket};

/// How long a client may take over the head of a request, and leave a connection unused.
const HEAD_PATIENCE: Duration = Duration::from_secs(60);

/// What every connection of a listener shares.
pub(crate) struct Shared {
    pub(crate) gate: Gate,
    pub(crate) site: Site,
    pub(crate) caller: Arc<Caller>,
}

/// Serves one connection to its end.
pub(crate) async fn serve(
    stream: TcpStream,
    place: Place,
    shared: Arc<Shared>,
    mut stopping: watch::Receiver<bool>,
) {
    let standing = Arc::clone(&place.standing);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let shared = Arc::clone(&shared);
        let standing = Arc::clone(&standing);
        async move {
            standing.set_arriving();
            let response = match shared.gate.admit(request.headers(), &shared.caller) {
                Err(refusal) => refusal.response(),
                Ok(caller) => {
                    let request = request.map(|body| Arriving::new(body, Arc::clone(&standing)));
                    shared.site.respond(request, caller).await
                }
            };
            standing.set_idle();
            Ok::<_, Infallible>(response)
        }
    });
    let socket = TokioIo::new(Socket::new(stream, Arc::clone(&place.standing)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .serve_connection(socket, service);
    let mut connection = std::pin::pin!(connection);
    let mut told = false;
    loop {
        tokio::select! {
            // Whatever ended it, there is nobody to tell.
            _ = connection.as_mut() => return,
            () = place.standing.ended() => return,
            changed = stopping.changed(), if !told => {
                told = true;
                if changed.is_ok() {
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}
