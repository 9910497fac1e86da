//! The fixture as a process, for tests through real pipes: on stdio, on a socket (`socket PATH`), or as a relay on
//! stdio to such a socket (`relay PATH`). With `breaking`, its surface panics every second time.

use std::sync::Arc;

use mcp::relay::{Options, local};
use mcp::stdio::Limits;
use mcp::{Relay, Service};
use mcp_testkit::{far, fixture};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["breaking"] => {
            mcp::stdio::serve(Arc::new(fixture::Breaking::new(fixture::server())), Limits::default())
        }
        ["socket", path] => on_a_socket(path),
        ["relay", path] => {
            let relay = Relay::new(fixture::server().surface(), local(*path), Options::default());
            mcp::stdio::serve(Arc::new(relay), Limits::default())
        }
        _ => mcp::stdio::serve(Arc::new(fixture::server()), Limits::default()),
    }
}

fn on_a_socket(path: &str) -> std::io::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = far::Listener::bind(path.as_ref())?;
        far::accept(Arc::new(fixture::server()), listener).await;
        Ok(())
    })
}
