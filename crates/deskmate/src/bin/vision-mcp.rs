//! The `vision-mcp` command: the server `zai-mcp-server` on stdin and stdout.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::cli::run_alone(vision::NAME, "vision-mcp", std::env::args_os())
}
