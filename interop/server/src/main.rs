//! The fixture server for foreign clients, on stdio and over HTTP.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, Subcommand};
use mcp::http::Policy;
use mcp::stdio::Limits;
use mcp_testkit::fixture;
use tokio::signal::unix::{SignalKind, signal};
use web::{Gate, Listener, Shutdown, Site};

#[derive(Parser)]
#[command(about = "Serves the fixture of the protocol's tests to foreign clients.")]
struct Cli {
    #[command(subcommand)]
    transport: Transport,
}

#[derive(Subcommand)]
enum Transport {
    /// On stdin and stdout.
    Stdio,
    /// At `/mcp` on any free port of 127.0.0.1, until SIGTERM.
    Http {
        /// Where to write the port, once it answers.
        #[arg(long)]
        port_file: PathBuf,
        /// What clients must send as a bearer token.
        #[arg(long)]
        token: Option<String>,
    },
}

fn main() -> Result<(), Box<dyn Error>> {
    match Cli::parse().transport {
        Transport::Stdio => Ok(mcp::stdio::serve(Arc::new(fixture::server()), Limits::default())?),
        Transport::Http { port_file, token } => {
            tokio::runtime::Runtime::new()?.block_on(serve_http(&port_file, token.as_deref()))
        }
    }
}

async fn serve_http(port_file: &Path, token: Option<&str>) -> Result<(), Box<dyn Error>> {
    let listener = Listener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    let address = listener.address();
    let gate = Gate::new(address, token)?;
    let site =
        Site::default().endpoint("/mcp", mcp::http::endpoint(Arc::new(fixture::server()), Policy::default()));
    let stop = Shutdown::new();
    let mut terminated = signal(SignalKind::terminate())?;
    let stopping = stop.clone();
    tokio::spawn(async move {
        terminated.recv().await;
        stopping.now();
    });
    write_whole(port_file, &format!("{}\n", address.port()))?;
    listener.serve(site, gate, stop).await;
    Ok(())
}

/// Whoever waits for the file never sees a part of it.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, text)?;
    std::fs::rename(part, path)
}
