//! The `recipe-vault` command: the server `recipe-vault` on stdin and stdout, and the cookbook over HTTP and as a file.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run(std::env::args_os())
}
