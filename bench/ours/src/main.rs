//! The three tools of the comparison on our own core, as any server of ours would write them.

mod floor;
mod image;
mod relayed;
mod tools;

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use mcp::http::Policy;
use mcp::stdio::Limits;
use web::{Gate, Listener, Shutdown, Site};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["socket", path] => relayed::socket(path),
        ["relay", path] => Ok(relayed::relay(path)?),
        ["stdio"] => Ok(mcp::stdio::serve(Arc::new(tools::server()), Limits::default())?),
        ["http", port] => http(port.parse()?),
        ["floor"] => Ok(floor::run()?),
        _ => {
            Err("usage: ours stdio, ours floor, ours socket PATH, ours relay PATH, or ours http PORT".into())
        }
    }
}

/// As `deskmate serve` does it: the same listener, the same gate.
fn http(port: u16) -> Result<(), Box<dyn Error>> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], port))).await?;
        let gate = Gate::new(listener.address(), None)?;
        // As many sessions as are opened to be measured.
        let policy = Policy { sessions: 10_000, ..Policy::default() };
        let site = Site::default().endpoint("/mcp", mcp::http::endpoint(Arc::new(tools::server()), policy));
        listener.serve(site, gate, Shutdown::new()).await;
        Ok(())
    })
}
