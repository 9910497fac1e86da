//! The fixture as a process, for tests through real pipes.

use std::sync::Arc;

use mcp::stdio::Limits;
use mcp_testkit::fixture;

fn main() -> std::io::Result<()> {
    mcp::stdio::serve(Arc::new(fixture::server()), Limits::default())
}
