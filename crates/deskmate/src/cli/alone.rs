//! A server with a command of its own: without arguments, MCP on stdin and stdout.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use mcp::Service;
use mcp::stdio::Limits;

use crate::servers::{self, Selection};

use super::error::Error;
use super::{answer_without_command, stdio};

/// Serves the server of this name on stdin and stdout, as the command `command`.
pub fn run_alone(
    server: &'static str,
    command: &'static str,
    arguments: impl IntoIterator<Item = OsString>,
) -> ExitCode {
    let about = servers::ALL.iter().find(|entry| entry.name == server).map_or("", |entry| entry.about);
    let cli = clap::Command::new(command)
        .version(env!("CARGO_PKG_VERSION"))
        .about(format!("The MCP server {server}: {about}."))
        .after_help(format!(
            "Without arguments it serves MCP on stdin and stdout, and is meant to be started by an MCP client:\n  \
             echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}' | {command}"
        ))
        .max_term_width(100);
    if let Err(answer) = cli.try_get_matches_from(arguments) {
        return answer_without_command(&answer);
    }
    serve_alone(server)
}

/// Serves the server of this name on stdin and stdout.
pub(crate) fn serve_alone(server: &str) -> ExitCode {
    let selection = Selection { names: vec![server.to_owned()], ..Selection::default() };
    match servers::compose(&selection) {
        Ok(service) => serve_service(service),
        Err(error) => Error::from(error).report(),
    }
}

/// Serves a service on stdin and stdout.
pub(crate) fn serve_service(service: Arc<dyn Service>) -> ExitCode {
    stdio::tell_people();
    match mcp::stdio::serve(service, Limits::default()).map_err(Error::Stdio) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
