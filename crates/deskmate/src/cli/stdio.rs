//! `deskmate stdio`: MCP on stdin and stdout, for the client that started us.

use std::io::IsTerminal;

use mcp::stdio::Limits;

use crate::servers;

use super::error::Error;
use super::selection::Select;
use super::terminal;

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
    tell_people();
    mcp::stdio::serve(service, Limits::default()).map_err(Error::Stdio)
}

/// Somebody who started us by hand would wait for a sign.
pub(crate) fn tell_people() {
    if std::io::stdin().is_terminal() {
        terminal::complain(
            "This speaks MCP, one JSON message a line, and is meant to be started by an MCP client. Ctrl-D ends it.",
        );
    }
}
