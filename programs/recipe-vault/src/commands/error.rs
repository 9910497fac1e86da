//! What can go wrong in a command, and the exit code that says so.

use std::io;
use std::path::PathBuf;

use cli::exit::{FAILED, USAGE};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("cannot write to stdout: {0}")]
    Stdout(#[from] io::Error),
    #[error(transparent)]
    Bind(#[from] web::BindError),
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
    /// Says whose turn it is.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Error::Misset(_) => USAGE,
            Error::Stdout(_)
            | Error::Bind(_)
            | Error::Recipes(_)
            | Error::NoLink(_)
            | Error::Archive { .. }
            | Error::NoArchive(_)
            | Error::Runtime(_) => FAILED,
        }
    }
}
