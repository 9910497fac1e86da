//! The `fotos-mcp` command: the server `fotos` on stdin and stdout.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::cli::run_alone("fotos", "fotos-mcp", std::env::args_os())
}
