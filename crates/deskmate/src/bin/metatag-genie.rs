//! The `metatag-genie` command: the server `MetaTagGenie` on stdin and stdout.

use std::process::ExitCode;

fn main() -> ExitCode {
    deskmate::cli::run_alone("MetaTagGenie", "metatag-genie", std::env::args_os())
}
