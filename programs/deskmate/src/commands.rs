//! The command line: what can be typed, and where it goes. Each command is a file of its own.

mod call;
mod connect;
mod content;
mod disconnect;
mod error;
mod indent;
mod selection;
mod serve;
mod stdio;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cli::exit;

#[derive(Parser)]
#[command(
    name = "deskmate",
    version,
    about = "The MCP servers you keep on your own machine.",
    max_term_width = 100,
    after_help = "Examples:
  deskmate connect              connect the AI apps on this machine
  deskmate tools                what an AI agent can do through Deskmate
  deskmate call deskmate_info   call a tool yourself
  deskmate serve                serve over HTTP; http://127.0.0.1:8642/ says how to connect
  deskmate stdio                what an MCP client starts; `deskmate connect` enters it

Exit codes: 0 it worked, 1 it did not, 2 the command line is wrong."
)]
struct Cli {
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
}

/// Does what the arguments say; the first one is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => return exit::without_command(&answer),
    };
    let done = match cli.command {
        Command::Connect(args) => connect::run(&args),
        Command::Disconnect(args) => disconnect::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Stdio(args) => stdio::run(args),
        Command::Tools(args) => tools::run(args),
        Command::Call(args) => call::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failed(&error, error.exit_code()),
    }
}
