//! The `authy` command: a vault of secrets, its command line, and its MCP server.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::commands::authy::run(std::env::args_os())
}
