//! One connection: requests in, through the gate, responses out.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::Poll;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use mcp::Caller;
use tokio::net::TcpStream;

use crate::connections::{Order, Place};
use crate::gate::Gate;
use crate::site::Site;
use crate::sys::Way;
use crate::tracked::{Arriving, Leaving, Socket};

/// Who is at the other end of a connection; every request carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// What every connection of a listener shares.
pub(crate) struct Shared {
    pub(crate) gate: Gate,
    pub(crate) site: Site,
    pub(crate) caller: Arc<Caller>,
    /// How to tell a client that closed its side from one that is gone, where that takes no time.
    pub(crate) way: Option<Way>,
}

/// Serves one connection to its end.
pub(crate) async fn serve(stream: TcpStream, place: Place, shared: Arc<Shared>) {
    let peer = stream.peer_addr().ok().map(|address| Peer(address.ip()));
    let standing = Arc::clone(&place.standing);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let shared = Arc::clone(&shared);
        let standing = Arc::clone(&standing);
        async move {
            standing.set_arriving();
            if let Err(refusal) = shared.gate.check_target(request.uri()) {
                return Ok(refusal.response().map(|body| Leaving::new(body, standing)));
            }
            if let Some(response) = shared.gate.redeem(&request) {
                return Ok(response.map(|body| Leaving::new(body, standing)));
            }
            let credential = shared.site.credential(request.uri().path());
            let response = match shared.gate.admit(request.headers(), &shared.caller, credential) {
                Err(refusal) => refusal.response(),
                Ok(caller) => {
                    let mut request = request;
                    if let Some(peer) = peer {
                        request.extensions_mut().insert(peer);
                    }
                    let request = request.map(|body| Arriving::new(body, Arc::clone(&standing)));
                    shared.site.respond(request, caller).await
                }
            };
            Ok::<_, Infallible>(response.map(|body| Leaving::new(body, standing)))
        }
    });
    let socket = TokioIo::new(Socket::new(stream, Arc::clone(&place.standing), shared.way));
    let mut http = http1::Builder::new();
    // Waiting for a head is bounded by the sweeps over all connections. Whether a client that closed its side is gone, which
    // cancels what it asked for, the socket finds out.
    http.header_read_timeout(None).half_close(true);
    let connection = http.serve_connection(socket, service);
    let mut connection = std::pin::pin!(connection);
    loop {
        let mut order = std::pin::pin!(place.standing.order());
        let told = poll_fn(|cx| match connection.as_mut().poll(cx) {
            // Whatever ended it, there is nobody to tell.
            Poll::Ready(_) => Poll::Ready(Order::Close),
            Poll::Pending => order.as_mut().poll(cx),
        });
        match told.await {
            Order::Close => return,
            Order::Finish => connection.as_mut().graceful_shutdown(),
        }
    }
}
