//! The `metatag-genie` command: the server `MetaTagGenie` on stdin and stdout, and a command line for people.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::commands::metatag_genie::run(std::env::args_os())
}
