//! How a command ends: an exit code, and for failures a message on stderr.

use std::fmt::Display;
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::terminal;

/// The exit code of a command that did not work.
pub const FAILED: u8 = 1;

/// The exit code of a wrong command line.
pub const USAGE: u8 = 2;

/// Says what went wrong.
pub fn failed(error: &dyn Display, code: u8) -> ExitCode {
    terminal::complain(&format!("error: {error}"));
    ExitCode::from(code)
}

/// Help, the version, or what is wrong with the command line.
pub fn without_command(answer: &clap::Error) -> ExitCode {
    let text = answer.render().to_string();
    match answer.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match terminal::say(&text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&format_args!("cannot write to stdout: {error}"), FAILED),
        },
        _ => {
            terminal::complain(&text);
            ExitCode::from(USAGE)
        }
    }
}
