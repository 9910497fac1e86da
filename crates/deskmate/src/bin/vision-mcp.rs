//! The `vision-mcp` command: the server `zai-mcp-server` on stdin and stdout.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::pages::draw_if_asked(std::env::args_os())
        .unwrap_or_else(|| deskmate::cli::run_alone(vision::NAME, "vision-mcp", std::env::args_os()))
}
