//! The server `info`: what Deskmate is and has on this machine, and what is missing.

mod folder;
mod report;
mod tools;

use files::Home;
use mcp::{Server, Version};

use crate::servers::Entry;

pub use report::{Missing, Report, ServerReport};

/// How clients can reach this build.
const TRANSPORTS: &[&str] = &["stdio", "Streamable HTTP"];

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
    /// The state of things now.
    pub(crate) fn report(&self) -> Report {
        let servers =
            self.servers.iter().map(|entry| ServerReport::new(entry.name, entry.about, (entry.missing)()));
        Report::new(report::Facts {
            version: env!("CARGO_PKG_VERSION"),
            servers: servers.collect(),
            protocol_versions: Version::ALL.map(Version::as_str).to_vec(),
            transports: TRANSPORTS.to_vec(),
            folder: Home::from_environment(|name| std::env::var_os(name))
                .map_err(|error| folder::missing(&error))
                .and_then(|home| folder::look(&home)),
        })
    }
}
