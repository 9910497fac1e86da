//! The same tools behind a relay: one process has them on a Unix socket, another is on stdio and passes calls on.

use std::error::Error;
use std::io;
use std::sync::Arc;

use mcp::relay::{Options, local};
use mcp::stdio::Limits;
use mcp::{Caller, Relay, Service, Stream};
use tokio::net::UnixListener;

use crate::tools;

/// Serves whoever connects, until it is killed.
pub(crate) fn socket(path: &str) -> Result<(), Box<dyn Error>> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = UnixListener::bind(path)?;
        let service: Arc<dyn Service> = Arc::new(tools::server());
        loop {
            let (socket, _) = listener.accept().await?;
            let caller = Caller { principal: "relay".into(), ..Caller::default() };
            tokio::spawn(mcp::stream::serve(
                Arc::clone(&service),
                Stream::from(socket),
                caller,
                Limits::default(),
            ));
        }
    })
}

pub(crate) fn relay(path: &str) -> io::Result<()> {
    let relay = Relay::new(tools::server().surface(), local(path), Options::default());
    mcp::stdio::serve(Arc::new(relay), Limits::default())
}
