//! The `metatag-genie` command: the server `MetaTagGenie` on stdin and stdout, and a command line for people.

mod commands;
mod sys;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run(std::env::args_os())
}
