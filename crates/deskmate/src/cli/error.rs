//! What can go wrong in a command, and the exit code that says so.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::{client, servers};

use super::terminal;

/// The exit code for a wrong command line.
pub(super) const USAGE: u8 = 2;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Servers(#[from] servers::Error),
    #[error("there is no tool `{name}`; {}`deskmate tools --all` lists what there is", guess(.similar.as_deref()))]
    UnknownTool { name: String, similar: Option<String> },
    #[error("the arguments are not JSON: {reason}{excerpt}")]
    NotJson { reason: String, excerpt: String },
    #[error("the arguments are empty; give a JSON object, or leave them out for a tool without any")]
    NoArguments,
    #[error("the arguments must be a JSON object, such as {{\"name\": \"value\"}}, not {found}")]
    NotAnObject { found: &'static str },
    #[error("cannot read the arguments from stdin: {0}; give a JSON object as UTF-8 text")]
    Stdin(io::Error),
    /// The tool's own words.
    #[error("{0}")]
    ToolFailed(String),
    #[error(transparent)]
    Client(#[from] client::Error),
    #[error("cannot save `{path}`: {source}; choose another folder with `--out`")]
    Save { path: PathBuf, source: io::Error },
    #[error("the connection on stdin and stdout broke: {0}")]
    Stdio(io::Error),
    #[error("cannot write to stdout: {0}")]
    Stdout(#[from] io::Error),
    #[error(transparent)]
    Bind(#[from] web::BindError),
    #[error(transparent)]
    Gate(#[from] web::GateError),
    #[error(transparent)]
    Recipes(#[from] recipes::Error),
    #[error(transparent)]
    Misset(#[from] recipes::config::Misset),
    #[error(transparent)]
    NoLink(#[from] recipes::auth::NoLink),
    #[error("the archive `{path}` cannot be used: {source}")]
    Archive { path: PathBuf, source: io::Error },
    #[error(transparent)]
    NoArchive(#[from] recipes::export::NoArchive),
    #[error("cannot start serving: {0}")]
    Runtime(io::Error),
}

impl Error {
    /// Says what went wrong; the exit code tells whose turn it is.
    pub(super) fn report(&self) -> ExitCode {
        terminal::complain(&format!("error: {self}"));
        ExitCode::from(self.exit_code())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Error::Servers(servers::Error::Unknown { .. })
            | Error::UnknownTool { .. }
            | Error::NotJson { .. }
            | Error::NoArguments
            | Error::NotAnObject { .. }
            | Error::Misset(_)
            | Error::Gate(_) => USAGE,
            Error::Servers(servers::Error::Clash(_))
            | Error::Stdin(_)
            | Error::ToolFailed(_)
            | Error::Client(_)
            | Error::Save { .. }
            | Error::Stdio(_)
            | Error::Stdout(_)
            | Error::Bind(_)
            | Error::Recipes(_)
            | Error::NoLink(_)
            | Error::Archive { .. }
            | Error::NoArchive(_)
            | Error::Runtime(_) => 1,
        }
    }
}

fn guess(similar: Option<&str>) -> String {
    similar.map(|name| format!("perhaps `{name}` is meant; ")).unwrap_or_default()
}
