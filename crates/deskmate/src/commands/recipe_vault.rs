//! `recipe-vault`: without arguments, MCP on stdin and stdout.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, Command};
use mcp::{Selected, Service, ToolEntry};

use crate::cli;

/// Does what the arguments say; the first one is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let command = Command::new("recipe-vault")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The MCP server recipe-vault: the family cookbook.")
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Offers every tool, also those for plans, tags, photos and links"),
        )
        .after_help(
            "Without arguments it serves MCP on stdin and stdout, and is meant to be started by an MCP client:\n  echo \
             '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | recipe-vault\n\nEnvironment:\n  DATABASE_URL  \
             sqlite:///path of the database; a file in Deskmate's state folder unless set\n  USER_EMAIL    whose family \
             is meant; every family unless set",
        )
        .max_term_width(100);
    match command.try_get_matches_from(arguments) {
        Ok(matches) => cli::serve_alone(service(matches.get_flag("all"))),
        Err(answer) => cli::answer_without_command(&answer),
    }
}

fn service(all: bool) -> Arc<dyn Service> {
    let server: Arc<dyn Service> =
        Arc::new(recipes::server(recipes::Config::from_environment(|name| std::env::var_os(name))));
    if all {
        return server;
    }
    Arc::new(Selected::new(server, |tool: &ToolEntry| tool.core))
}
