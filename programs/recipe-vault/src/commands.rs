//! `recipe-vault`: without arguments, MCP on stdin and stdout; with `serve`, the REST API and the pages.

mod archive;
mod error;
mod invite;
mod serve;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use cli::selection::{Access, Breadth, reduce};
use cli::{exit, manual, stdio, terminal};
use recipes::config::{Source, database};
use recipes::{Config, Store};

use error::Error;

/// Does what the arguments say; the first one is the name of the program.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match command().try_get_matches_from(arguments) {
        Ok(matches) => match matches.subcommand() {
            Some(("serve", given)) => with(given, serve::run),
            Some(("invite", given)) => with(given, invite::run),
            Some(("export", given)) => with(given, archive::export),
            Some(("restore", given)) => with(given, archive::restore),
            _ => match manual::answer(&matches, command()) {
                Some(Ok(())) => ExitCode::SUCCESS,
                Some(Err(error)) => exit::failed(&error, exit::FAILED),
                None => serve_stdio(if matches.get_flag("core") { Breadth::Core } else { Breadth::All }),
            },
        },
        Err(answer) => exit::without_command(&answer),
    }
}

/// What can be typed.
fn command() -> Command {
    let command = Command::new("recipe-vault")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The MCP server recipe-vault: the family cookbook.")
        .arg(
            Arg::new("core")
                .long("core")
                .action(ArgAction::SetTrue)
                .help("Offers only the tools people use most, which takes less of a model's context"),
        )
        .subcommand(serve::Args::augment_args(Command::new("serve")))
        .subcommand(invite::Args::augment_args(Command::new("invite")))
        .subcommand(archive::ExportArgs::augment_args(Command::new("export")))
        .subcommand(archive::RestoreArgs::augment_args(Command::new("restore")))
        .args_conflicts_with_subcommands(true)
        .after_help(
            "Examples:\n  recipe-vault                         serve MCP on stdin and stdout: what an MCP client starts\n  \
             recipe-vault serve                   the cookbook in a browser, and its REST API\n  \
             recipe-vault invite ada@example.org  a link for somebody of the family\n  \
             recipe-vault export cookbook.zip     everything in one file\n\nEnvironment:\n  DATABASE_URL  \
             sqlite:///path or postgres://…; a file in Deskmate's state folder unless set\n  USER_EMAIL    whose family \
             is meant; every family unless set\n  API_BASE_URL  use the cookbook that `recipe-vault serve` serves there\n  \
             API_KEY       the key for it; for `serve`, a key that opens every family\n\n\
             Exit codes: 0 it worked, 1 it did not, 2 the command line is wrong.",
        )
        .max_term_width(100);
    manual::add_to(command)
}

fn with<A: FromArgMatches>(given: &ArgMatches, run: fn(&A) -> Result<(), Error>) -> ExitCode {
    let args = match A::from_arg_matches(given) {
        Ok(args) => args,
        Err(answer) => return exit::without_command(&answer),
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failed(&error, error.exit_code()),
    }
}

fn serve_stdio(breadth: Breadth) -> ExitCode {
    let config = config();
    // While somebody is looking.
    if matches!(config.source, Ok(Source::Api { key: None, .. })) {
        terminal::complain(
            "warning: API_KEY is not set; the API at API_BASE_URL will refuse every request with 401",
        );
    }
    stdio::run(reduce(Arc::new(recipes::server(config)), Access::Full, breadth))
}

fn config() -> Config {
    Config::from_environment(|name| std::env::var_os(name))
}

/// The database that is named, or else the one the environment names.
fn store(given: Option<&str>) -> Result<Arc<dyn Store>, Error> {
    let source = match given {
        Some(url) => database(url, std::env::var("DATABASE_REPLICAS").ok().as_deref())?,
        None => config().source?,
    };
    Ok(recipes::store_of(&source)?)
}
