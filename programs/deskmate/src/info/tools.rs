//! The tools of the server `info`.

mod deskmate_info;

use mcp::Server;

use super::State;

/// Every tool, in the order clients see them.
pub(super) fn offer(server: Server<State>) -> Server<State> {
    server.tool(deskmate_info::DeskmateInfo)
}
