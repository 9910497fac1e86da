//! The command line: what can be typed, and where it goes. Each command is a file of its own.

mod bundle;
mod call;
mod connect;
mod content;
mod disconnect;
mod doctor;
mod error;
mod indent;
mod names;
mod overview;
mod questions;
mod selection;
mod serve;
mod service;
mod stdio;
mod tools;
mod wrapping;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use cli::{exit, manual, terminal};

use crate::demo::Demo;
use crate::release;
use crate::sys;

use error::Error;

#[derive(Parser)]
#[command(
    name = "deskmate",
    version,
    about = "The MCP servers you keep on your own machine.",
    max_term_width = 100,
    after_help = "Examples:
  deskmate                      what is connected, what is missing, what is next
  deskmate connect              connect the AI apps on this machine
  deskmate doctor               check everything, with a fix for each problem
  deskmate tools                what an AI agent can do through Deskmate
  deskmate call deskmate_info   call a tool yourself
  deskmate serve                serve over HTTP, with a dashboard for you
  deskmate --demo serve         the same with sample recipes, photos and a vault
  deskmate stdio                what an app starts after `deskmate connect`

Exit codes: 0 it worked, 1 it did not, 2 the command line is wrong."
)]
struct Cli {
    /// Work on a demo home with sample recipes, photos and a vault
    #[arg(long)]
    demo: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Connect(connect::Args),
    Disconnect(disconnect::Args),
    Serve(serve::Args),
    Stdio(stdio::Args),
    Tools(tools::Args),
    Call(call::Args),
    Doctor(doctor::Args),
    Bundle(bundle::Args),
    Completions(manual::Completions),
    Man(manual::Man),
}

/// Does what the arguments say; the first one is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(rest) = without_demo(&arguments) {
        return in_the_demo(&rest);
    }
    // For a person who wants to know where they are. A program that forgot to say what it wants is told so.
    if arguments.len() == 1 && io::stdout().is_terminal() {
        return ended(overview::run());
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) if answer.kind() == ErrorKind::DisplayVersion => {
            return ended(terminal::say(&format!("deskmate {}", release::describe())).map_err(Error::Stdout));
        }
        Err(answer) => return exit::without_command(&answer),
    };
    // Only for `--help`: it was dealt with above.
    let Cli { demo: _demo, command } = cli;
    ended(match command {
        Command::Connect(args) => connect::run(&args),
        Command::Disconnect(args) => disconnect::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Stdio(args) => stdio::run(args),
        Command::Tools(args) => tools::run(args),
        Command::Call(args) => call::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Bundle(args) => bundle::run(&args),
        Command::Completions(args) => args.print(Cli::command()).map_err(Error::Stdout),
        Command::Man(args) => args.print(Cli::command()).map_err(Error::Stdout),
    })
}

/// The command line without the program and `--demo`, if that is in it. People write it in front of the command or behind.
fn without_demo(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let rest = arguments.get(1..)?;
    let at = rest.iter().take_while(|word| *word != "--").position(|word| word == "--demo")?;
    Some(rest.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, word)| word.clone()).collect())
}

/// The rest of the command line, in the demo. Another process, since this one has the environment it has.
fn in_the_demo(arguments: &[OsString]) -> ExitCode {
    if leaves_the_demo(arguments) {
        let error = Error::OutsideDemo;
        return exit::failed(&error, error.exit_code());
    }
    let done = Demo::prepare().map_err(Error::Demo).and_then(|demo| {
        if arguments.is_empty() {
            let folder = demo.folder().display();
            return Ok(terminal::say(&format!(
                "The demo is in `{folder}`: recipes, photos and a vault.\nTry `deskmate --demo serve`, or `deskmate --demo call list_recipes`."
            ))
            .map(|()| ExitCode::SUCCESS)?);
        }
        let mut command = demo.command(arguments).map_err(Error::Program)?;
        sys::run_instead(&mut command).map_err(Error::Program)
    });
    done.unwrap_or_else(|error: Error| exit::failed(&error, error.exit_code()))
}

/// Whether this would change the person's own apps or services, which are no part of the demo.
fn leaves_the_demo(arguments: &[OsString]) -> bool {
    let has = |names: &[&str]| arguments.iter().any(|word| names.iter().any(|name| word == name));
    match arguments.first().and_then(|word| word.to_str()) {
        Some("connect" | "disconnect") => !has(&["--print", "--dry-run", "--help", "-h"]),
        Some("serve") => has(&["--install", "--uninstall"]),
        _ => false,
    }
}

fn ended(done: Result<(), Error>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failed(&error, error.exit_code()),
    }
}
