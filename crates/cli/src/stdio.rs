//! One server on stdin and stdout, for the client that started us.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use mcp::Service;
use mcp::stdio::Limits;

use crate::{exit, manual, terminal};

/// A program that serves one server and does nothing else.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// What it is called.
    pub name: &'static str,
    /// Of this build.
    pub version: &'static str,
    /// The name of its server.
    pub server: &'static str,
    /// What the server is for, in a few words.
    pub about: &'static str,
}

impl Program {
    /// Serves what `make` makes, unless the arguments ask for help or the version; the first one is the name of the program.
    pub fn run<S: Service>(
        &self,
        arguments: impl IntoIterator<Item = OsString>,
        make: impl FnOnce() -> S,
    ) -> ExitCode {
        self.run_with(arguments, |cli| cli, |_| Ok::<_, Infallible>(Arc::new(make())))
    }

    /// The same for a program with options of its own, which may be wrong.
    pub fn run_with<E: Display>(
        &self,
        arguments: impl IntoIterator<Item = OsString>,
        options: impl FnOnce(Command) -> Command,
        make: impl FnOnce(&ArgMatches) -> Result<Arc<dyn Service>, E>,
    ) -> ExitCode {
        let command = options(self.command());
        let given = match command.clone().try_get_matches_from(arguments) {
            Ok(given) => given,
            Err(answer) => return exit::without_command(&answer),
        };
        match manual::answer(&given, command) {
            None => match make(&given) {
                Ok(service) => run(service),
                Err(error) => exit::failed(&error, exit::USAGE),
            },
            Some(Ok(())) => ExitCode::SUCCESS,
            Some(Err(error)) => exit::failed(&error, exit::FAILED),
        }
    }

    /// Its command line, without options of its own.
    fn command(&self) -> Command {
        let Program { name, version, server, about } = *self;
        let command = Command::new(name)
            .version(version)
            .about(format!("The MCP server {server}: {about}."))
            .after_help(format!(
                "Examples:\n  {name}                     serve MCP on stdin and stdout: what an MCP client starts\n  \
                 echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}' | {name}\n\n\
                 `deskmate` has this server, too, and `deskmate connect` adds it to AI apps.\n\
                 Exit codes: 0 it worked, 1 it did not, 2 the command line is wrong."
            ))
            .args_conflicts_with_subcommands(true)
            .max_term_width(100);
        manual::add_to(command)
    }
}

/// Serves until the client hangs up, and reports a broken connection.
pub fn run(service: Arc<dyn Service>) -> ExitCode {
    match serve(service) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            exit::failed(&format_args!("the connection on stdin and stdout broke: {error}"), exit::FAILED)
        }
    }
}

/// Serves until the client hangs up.
pub fn serve(service: Arc<dyn Service>) -> io::Result<()> {
    // Somebody who started us by hand would wait for a sign.
    if io::stdin().is_terminal() {
        terminal::complain(
            "This speaks MCP, one JSON message a line, and is meant to be started by an MCP client. Ctrl-D ends it.",
        );
    }
    mcp::stdio::serve(service, Limits::default())
}
