//! The `recipe-vault` command: the server `recipe-vault` on stdin and stdout.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::commands::recipe_vault::run(std::env::args_os())
}
