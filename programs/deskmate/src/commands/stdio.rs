//! `deskmate stdio`: MCP on stdin and stdout, for the client that started us.

use crate::servers;

use super::error::Error;
use super::selection::Select;

/// Serve MCP on stdin and stdout: what an MCP client starts
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate stdio               all servers as one, with their core tools
  deskmate stdio info          one server, with all of its tools
  deskmate stdio --read-only   nothing that changes anything

By hand, in one line:
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | deskmate stdio")]
pub(super) struct Args {
    #[command(flatten)]
    select: Select,
}

pub(super) fn run(args: Args) -> Result<(), Error> {
    let service = servers::compose(&args.select.into())?;
    cli::stdio::serve(service).map_err(Error::Stdio)
}
