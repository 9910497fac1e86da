//! Serving Streamable HTTP on loopback: plain JSON replies, `TCP_NODELAY`, hyper without a router in between.

use std::{error::Error, sync::Arc};

use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService,
    session::{SessionManager, local::LocalSessionManager, never::NeverSessionManager},
};
use tokio::net::TcpListener;

use crate::{options::Sessions, tools::Tools};

pub(crate) async fn serve(port: u16, sessions: Sessions) -> Result<(), Box<dyn Error>> {
    match sessions {
        Sessions::Never => accept(port, sessions, NeverSessionManager::default()).await,
        Sessions::Legacy => accept(port, sessions, LocalSessionManager::default()).await,
    }
}

async fn accept<M: SessionManager>(port: u16, sessions: Sessions, manager: M) -> Result<(), Box<dyn Error>> {
    let tools = Tools::new()?;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(sessions == Sessions::Legacy)
        .with_json_response(true);
    let service = StreamableHttpService::new(move || Ok(tools.clone()), Arc::new(manager), config);
    let service = TowerToHyperService::new(service);

    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        let service = service.clone();
        tokio::spawn(async move {
            // An error here is a client that went away, which is how every measurement ends.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
        });
    }
}
