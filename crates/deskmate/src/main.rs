//! The `deskmate` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::pages::draw_if_asked(std::env::args_os())
        .unwrap_or_else(|| deskmate::cli::run(std::env::args_os()))
}
