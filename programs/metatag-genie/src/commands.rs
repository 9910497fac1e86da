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
use std::sync::Arc;

use clap::{CommandFactory, Parser, Subcommand};
use cli::{exit, manual, stdio, terminal};
use files::Roots;
use metatag::Config;
use metatag::undo::Journal;
use metatag::write::Writer;

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
  find photos -newer yesterday -print0 | metatag-genie write - --append --tag new

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
    Completions(manual::Completions),
    Man(manual::Man),
}

/// What every command works with.
struct Desk {
    writer: Writer,
    roots: Roots,
}

/// Does what the arguments say; the first one is the name of the program.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => return exit::without_command(&answer),
    };
    let config = Config::from_environment(|name| std::env::var_os(name));
    let Some(command) = cli.command else { return stdio::run(Arc::new(metatag::server(config))) };
    let desk = Desk { writer: Writer::new(Journal::new(config.home)), roots: Roots::new(["/".into()]) };
    match command {
        Command::Read(args) => read::run(&desk, args),
        Command::Write(args) => write::run(&desk, args),
        Command::Preview(args) => preview::run(&desk, args),
        Command::Remove(args) => remove::run(&desk, args),
        Command::Undo(args) => undo::run(&desk, &args),
        Command::Completions(args) => printed(args.print(Cli::command())),
        Command::Man(args) => printed(args.print(Cli::command())),
    }
}

fn printed(done: std::io::Result<()>) -> ExitCode {
    done.map_or_else(|error| exit::failed(&error, exit::FAILED), |()| ExitCode::SUCCESS)
}

/// Prints an answer; the exit code says whether all went well.
fn answer(text: &str, worked: bool) -> ExitCode {
    match terminal::say(text) {
        Ok(()) if worked => ExitCode::SUCCESS,
        Ok(()) => ExitCode::from(exit::FAILED),
        Err(error) => exit::failed(&format_args!("cannot write to stdout: {error}"), exit::FAILED),
    }
}

/// Data as text that people can read, too.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}
