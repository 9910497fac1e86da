//! The fixture as a process: `conformance-server http` or `conformance-server stdio`.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use web::{Gate, Listener, Shutdown, Site};

/// Serves what the official MCP conformance suite asks for.
#[derive(Parser)]
#[command(name = "conformance-server")]
enum Args {
    /// Serve Streamable HTTP at `/mcp` on 127.0.0.1
    Http {
        /// The port; 0 takes any that is free
        #[arg(default_value_t = 0)]
        port: u16,
        /// A file that gets the port once there is one
        #[arg(long)]
        port_file: Option<PathBuf>,
    },
    /// Serve stdin and stdout
    Stdio,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Bind(#[from] web::BindError),
    #[error(transparent)]
    Gate(#[from] web::GateError),
    #[error("cannot write `{}`: {source}; choose another file with `--port-file`", path.display())]
    PortFile { path: PathBuf, source: io::Error },
    #[error("cannot serve: {0}")]
    Io(#[from] io::Error),
}

fn main() -> ExitCode {
    let served = match Args::parse() {
        Args::Http { port, port_file } => http(port, port_file.as_deref()),
        Args::Stdio => mcp::stdio::serve(Arc::new(conformance::server()), mcp::stdio::Limits::default())
            .map_err(Error::Io),
    };
    let Err(error) = served else { return ExitCode::SUCCESS };
    // Where stderr is gone, the exit code is all there is to say.
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::FAILURE
}

#[tokio::main]
async fn http(port: u16, port_file: Option<&Path>) -> Result<(), Error> {
    let listener = Listener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let address = listener.address();
    let gate = Gate::new(address, None)?;
    let endpoint = mcp::http::endpoint(Arc::new(conformance::server()), mcp::http::Policy::default());
    let site = Site::default().endpoint("/mcp", endpoint);
    writeln!(io::stderr(), "listening on http://{address}/mcp")?;
    if let Some(path) = port_file {
        write_port(path, address.port())
            .map_err(|source| Error::PortFile { path: path.to_owned(), source })?;
    }
    let stop = Shutdown::new();
    let told = stop.clone();
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::spawn(async move {
        terminated.recv().await;
        told.now();
    });
    listener.serve(site, gate, stop).await;
    Ok(())
}

/// Renamed into place: whoever sees the file sees all of it.
fn write_port(path: &Path, port: u16) -> io::Result<()> {
    let mut text = String::new();
    let _ = writeln!(text, "{port}");
    let unfinished = path.with_extension("unfinished");
    std::fs::write(&unfinished, text)?;
    std::fs::rename(unfinished, path)
}
