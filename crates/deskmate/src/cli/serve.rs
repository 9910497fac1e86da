//! `deskmate serve`: MCP over Streamable HTTP, which this build does not have yet.

use super::error::Error;

/// Serve MCP over HTTP (not in this build yet)
#[derive(clap::Args)]
#[command(after_help = "Example:
  deskmate serve   says that it is not there yet; until then, `deskmate stdio`")]
pub(super) struct Args {}

pub(super) fn run(_: &Args) -> Result<(), Error> {
    Err(Error::NoHttp)
}
