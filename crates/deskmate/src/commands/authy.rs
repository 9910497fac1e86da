//! The command `authy`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::cli;

#[derive(Parser)]
#[command(
    name = "authy",
    version,
    about = "Secrets an agent can use and need not see.",
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve MCP on stdin and stdout, for the client that started us
    Serve {
        /// The only way there is
        #[arg(long)]
        mcp: bool,
    },
}

/// Does what the arguments say; the first one is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    authy::harden_process();
    match Cli::try_parse_from(arguments) {
        Err(answer) => cli::answer_without_command(&answer),
        Ok(Cli { command: Command::Serve { mcp: true } }) => cli::serve_alone("authy"),
        Ok(Cli { command: Command::Serve { mcp: false } }) => cli::refuse("authy serve requires --mcp"),
    }
}
