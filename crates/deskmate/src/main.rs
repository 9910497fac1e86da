//! The `deskmate` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::cli::run(std::env::args_os())
}
