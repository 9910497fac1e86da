//! `metatag-genie`: without arguments the MCP server, with arguments a tool for people.
//!
//! A person's own paths need no roots: whatever this user can reach.

mod each;
mod paths;
mod preview;
mod progress;
mod read;
mod remove;
mod undo;
mod what;
mod write;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use files::Roots;
use metatag::Config;
use metatag::undo::Journal;
use metatag::write::Writer;

use crate::cli;

/// Exit code: some file failed.
const FAILED: u8 = 1;

#[derive(Parser)]
#[command(
    name = "metatag-genie",
    version,
    about = "Tags, descriptions, people and places in pictures, where photo programs find them.",
    max_term_width = 100,
    after_help = "Without arguments it serves MCP on stdin and stdout, and is meant to be started by an MCP client:
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | metatag-genie

Examples:
  metatag-genie read beach.jpg
  metatag-genie write beach.jpg --tag family --tag beach --description 'All of us at the sea'
  metatag-genie write photos --recursive --append --tag 2024
  metatag-genie preview beach.jpg --tag sea
  metatag-genie remove beach.jpg --tag beach
  metatag-genie undo beach.jpg

Exit codes: 0 it worked, 1 some file failed or it was interrupted, 2 the command line is wrong."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Read(read::Args),
    Write(write::Args),
    Preview(preview::Args),
    Remove(remove::Args),
    Undo(undo::Args),
}

/// What every command works with.
struct Desk {
    writer: Writer,
    roots: Roots,
}

/// Does what the arguments say; the first one is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => return cli::answer_without_command(&answer),
    };
    let Some(command) = cli.command else { return cli::serve_alone("MetaTagGenie") };
    let config = Config::from_environment(|name| std::env::var_os(name));
    let desk = Desk { writer: Writer::new(Journal::new(config.home)), roots: Roots::new(["/".into()]) };
    match command {
        Command::Read(args) => read::run(&desk, &args),
        Command::Write(args) => write::run(&desk, args),
        Command::Preview(args) => preview::run(&desk, args),
        Command::Remove(args) => remove::run(&desk, args),
        Command::Undo(args) => undo::run(&desk, &args),
    }
}

/// Prints an answer; the exit code says whether all went well.
fn answer(text: &str, worked: bool) -> ExitCode {
    match cli::terminal::say(text) {
        Ok(()) if worked => ExitCode::SUCCESS,
        Ok(()) => ExitCode::from(FAILED),
        Err(error) => {
            cli::terminal::complain(&format!("error: cannot write to stdout: {error}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Data as text that people can read, too.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}
