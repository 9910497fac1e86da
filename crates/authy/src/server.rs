//! The MCP server, put together.

use ::mcp::{FailAs, Failures, Server};

use crate::config::Config;
use crate::state::State;
use crate::tools;

/// The MCP server. No work is done and no credential looked at before the first call.
pub fn server(config: Config) -> Server<State> {
    tools::offer(
        Server::new("authy", env!("CARGO_PKG_VERSION"), State::new(config))
            .title("Authy")
            .description("Secrets an agent can use and need not see")
            .instructions(
                "A vault of secrets on this person's machine. Call list_secrets for the names. What you may do depends \
                 on the grant you were given: most may use secrets without seeing them.",
            )
            .failures(Failures {
                tool: FailAs::IsError,
                bad_arguments: FailAs::IsError,
                unknown_tool: FailAs::IsError,
            }),
    )
}
