//! The server that the official MCP conformance suite is run against.
//!
//! The suite fixes names, texts and behaviour; everything here is written on the ordinary handler API
//! of the `mcp` crate, as any server would be. `README.md` says how to run it.

mod prompts;
mod resources;
mod samples;
mod tools;

use mcp::{Changes, Features, Server};

/// What the handlers share.
#[derive(Default)]
struct State {
    changes: Changes,
}

/// The fixture, for one transport or several.
pub fn server() -> impl mcp::Service {
    let changes = Changes::default();
    let server =
        Server::new("conformance-server", env!("CARGO_PKG_VERSION"), State { changes: changes.clone() })
            .title("Conformance fixture")
            .description("What the official conformance suite calls, reads and gets")
            .features(Features { list_changes: true, resource_updates: true, logging: true })
            .telling(changes);
    prompts::add(resources::add(tools::add(server)))
}
