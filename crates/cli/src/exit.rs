//! How a command ends: an exit code, and for failures a message on stderr.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::colour::{Colours, Tone};
use crate::terminal;

/// The exit code of a command that did not work.
pub const FAILED: u8 = 1;

/// The exit code of a wrong command line.
pub const USAGE: u8 = 2;

/// The exit code where another program was to be run, as shells have it.
pub fn of_missing_command(error: &io::Error) -> u8 {
    match error.kind() {
        io::ErrorKind::NotFound => 127,
        io::ErrorKind::PermissionDenied => 126,
        _ => FAILED,
    }
}

/// Says what went wrong.
pub fn failed(error: &dyn Display, code: u8) -> ExitCode {
    terminal::complain(&format!("{} {error}", Colours::of_stderr().paint(Tone::Bad, "error:")));
    ExitCode::from(code)
}

/// Help, the version, or what is wrong with the command line.
pub fn without_command(answer: &clap::Error) -> ExitCode {
    let text = |colours| match colours {
        Colours::On => answer.render().ansi().to_string(),
        Colours::Off => answer.render().to_string(),
    };
    match answer.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match terminal::say(&text(Colours::of_stdout())) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => failed(&format_args!("cannot write to stdout: {error}"), FAILED),
            }
        }
        _ => {
            terminal::complain(&text(Colours::of_stderr()));
            ExitCode::from(USAGE)
        }
    }
}
