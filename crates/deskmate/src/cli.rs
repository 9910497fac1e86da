//! The command line: what can be typed, and where it goes. Each command is a file of its own.

mod alone;
mod call;
mod content;
mod cookbook;
mod cookbook_files;
mod error;
mod indent;
mod selection;
mod serve;
mod stdio;
pub(crate) mod terminal;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

pub use alone::run_alone;
pub(crate) use alone::{serve_alone, serve_service};
pub(crate) use cookbook::{InviteArgs, ServeArgs, invite, serve_cookbook, warn_of_missing_key};
pub(crate) use cookbook_files::{ExportArgs, RestoreArgs, export, restore};
use error::Error;
pub(crate) use stdio::tell_people;

#[derive(Parser)]
#[command(
    name = "deskmate",
    version,
    about = "The MCP servers you keep on your own machine.",
    max_term_width = 100,
    after_help = "Examples:
  deskmate tools                what an AI agent can do through Deskmate
  deskmate call deskmate_info   call a tool yourself
  deskmate serve                serve over HTTP; http://127.0.0.1:8642/ says how to connect
  deskmate stdio                what an MCP client starts; see the README for its config line

Exit codes: 0 it worked, 1 it did not, 2 the command line is wrong."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Args),
    Stdio(stdio::Args),
    Tools(tools::Args),
    Call(call::Args),
}

/// Does what the arguments say; the first one is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => return answer_without_command(&answer),
    };
    let done = match cli.command {
        Command::Serve(args) => serve::run(&args),
        Command::Stdio(args) => stdio::run(args),
        Command::Tools(args) => tools::run(args),
        Command::Call(args) => call::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

/// Help, the version, or what is wrong with the command line.
pub(crate) fn answer_without_command(answer: &clap::Error) -> ExitCode {
    let text = answer.render().to_string();
    match answer.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match terminal::say(&text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Error::from(error).report(),
        },
        _ => {
            terminal::complain(&text);
            ExitCode::from(error::USAGE)
        }
    }
}
