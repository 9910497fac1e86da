//! The `authy` command: the vault's command line, and its MCP server under `authy serve --mcp`.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::commands::authy::run(std::env::args_os())
}
