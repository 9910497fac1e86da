//! The `deskmate` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    vision::pdf::draw_if_asked(std::env::args_os())
        .unwrap_or_else(|| deskmate::commands::run(std::env::args_os()))
}
