//! The server `info`: what Deskmate is and has on this machine, and what is missing.

mod tools;

use mcp::Server;

use crate::doctor::{self, Report};
use crate::servers::Entry;

/// What does not change while the process runs.
pub struct State {
    servers: &'static [Entry],
}

/// The server, telling about these servers.
pub fn server(servers: &'static [Entry]) -> Server<State> {
    tools::offer(
        Server::new("info", env!("CARGO_PKG_VERSION"), State { servers })
            .title("Deskmate info")
            .description("What Deskmate offers on this machine, and what is missing")
            .instructions(
                "Says what Deskmate offers on this machine. Call deskmate_info when a Deskmate tool is missing \
                 or reports that something is not set up.",
            ),
    )
}

impl State {
    /// What `deskmate doctor` finds now.
    pub(crate) fn report(&self) -> Report {
        doctor::examine(doctor::Options::default(), self.servers)
    }
}
