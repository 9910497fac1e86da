//! The fixture server for foreign clients, on stdio and over HTTP.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use mcp::http::Policy;
use mcp::stdio;
use mcp_testkit::fixture;
use tokio::signal::unix::{SignalKind, signal};
use web::{Gate, Limits, Listener, Shutdown, Site};

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
        #[command(flatten)]
        bounds: Bounds,
    },
}

/// What clients may cost, where it is not the default.
#[derive(Args)]
struct Bounds {
    /// For how many seconds clients may keep the server waiting.
    #[arg(long)]
    patience: Option<u64>,
    /// For how many seconds sessions, questions and tasks are kept.
    #[arg(long)]
    lifetime: Option<u64>,
    /// How many connections there may be.
    #[arg(long)]
    connections: Option<usize>,
}

impl Bounds {
    fn apply(&self, limits: &mut Limits, policy: &mut Policy) {
        if let Some(patience) = self.patience.map(Duration::from_secs) {
            (limits.patience, policy.body_time) = (patience, patience);
        }
        if let Some(lifetime) = self.lifetime.map(Duration::from_secs) {
            policy.session_time = lifetime;
            policy.response_time = lifetime;
            policy.task_time = lifetime;
        }
        if let Some(connections) = self.connections {
            limits.connections = connections;
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    match Cli::parse().transport {
        Transport::Stdio => Ok(mcp::stdio::serve(Arc::new(fixture::server()), stdio::Limits::default())?),
        Transport::Http { port_file, token, bounds } => {
            tokio::runtime::Runtime::new()?.block_on(serve_http(&port_file, token.as_deref(), &bounds))
        }
    }
}

async fn serve_http(port_file: &Path, token: Option<&str>, bounds: &Bounds) -> Result<(), Box<dyn Error>> {
    let (mut limits, mut policy) = (Limits::default(), Policy::default());
    bounds.apply(&mut limits, &mut policy);
    let listener = Listener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?.limits(limits);
    let address = listener.address();
    let gate = Gate::new(address, token)?;
    let site = Site::default().endpoint("/mcp", mcp::http::endpoint(Arc::new(fixture::server()), policy));
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
