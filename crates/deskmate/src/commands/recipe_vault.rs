//! `recipe-vault`: without arguments, MCP on stdin and stdout; with `serve`, the REST API and the pages.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
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
        .subcommand(cli::ServeArgs::augment_args(Command::new("serve")))
        .subcommand(cli::InviteArgs::augment_args(Command::new("invite")))
        .subcommand(cli::ExportArgs::augment_args(Command::new("export")))
        .subcommand(cli::RestoreArgs::augment_args(Command::new("restore")))
        .args_conflicts_with_subcommands(true)
        .after_help(
            "Without arguments it serves MCP on stdin and stdout, and is meant to be started by an MCP client:\n  echo \
             '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | recipe-vault\n\nEnvironment:\n  DATABASE_URL  \
             sqlite:///path or postgres://… of the database; a file in Deskmate's state folder unless set\n  USER_EMAIL    whose family \
             is meant; every family unless set\n  API_BASE_URL  use the cookbook that `recipe-vault serve` serves there\n  \
             API_KEY       the key for it; for `serve`, a key that opens every family",
        )
        .max_term_width(100);
    match command.try_get_matches_from(arguments) {
        Ok(matches) => match matches.subcommand() {
            Some(("serve", given)) => with(given, cli::serve_cookbook),
            Some(("invite", given)) => with(given, cli::invite),
            Some(("export", given)) => with(given, cli::export),
            Some(("restore", given)) => with(given, cli::restore),
            _ => {
                cli::warn_of_missing_key(&config());
                cli::serve_service(service(matches.get_flag("all")))
            }
        },
        Err(answer) => cli::answer_without_command(&answer),
    }
}

fn with<A: FromArgMatches>(given: &ArgMatches, run: fn(&A) -> ExitCode) -> ExitCode {
    match A::from_arg_matches(given) {
        Ok(args) => run(&args),
        Err(answer) => cli::answer_without_command(&answer),
    }
}

fn config() -> recipes::Config {
    recipes::Config::from_environment(|name| std::env::var_os(name))
}

fn service(all: bool) -> Arc<dyn Service> {
    let server: Arc<dyn Service> = Arc::new(recipes::server(config()));
    if all {
        return server;
    }
    Arc::new(Selected::new(server, |tool: &ToolEntry| tool.core))
}
