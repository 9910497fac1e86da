//! Programs that decrypt what only they can: gpg for pass, sops.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Command, Stdio};

use zeroize::Zeroizing;

/// What a program may print; more is a mistake.
const MOST: u64 = 16 * 1024 * 1024;

/// Why a program did not help.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It is not installed.
    #[error(
        "`{program}` is needed for this and is not on the PATH; install it, or export to a dotenv file and import that"
    )]
    Missing {
        /// Its name.
        program: &'static str,
    },
    /// It cannot be run.
    #[error("cannot run `{program}`: {source}")]
    Run {
        /// Its name.
        program: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// It says no. What it said is on stderr already.
    #[error("`{program}` could not decrypt `{file}`; what it says is above")]
    Failed {
        /// Its name.
        program: &'static str,
        /// What it was asked to decrypt.
        file: String,
    },
    /// It prints without end.
    #[error("`{program}` prints more than 16 MB for `{file}`; split it")]
    TooMuch {
        /// Its name.
        program: &'static str,
        /// What it was asked to decrypt.
        file: String,
    },
}

/// What the program prints for a file. Its questions and complaints go to the terminal; it gets nothing of our variables.
pub(super) fn decrypt(
    program: &'static str,
    arguments: &[&OsStr],
    file: &str,
) -> Result<Zeroizing<Vec<u8>>, ProgramError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    for variable in ["AUTHY_PASSPHRASE", "AUTHY_KEYFILE", "AUTHY_TOKEN", "AUTHY_TOKEN_FILE"] {
        command.env_remove(variable);
    }
    let failed = |source| ProgramError::Run { program, source };
    let mut child = command.spawn().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ProgramError::Missing { program },
        _ => failed(source),
    })?;
    let mut plain = Zeroizing::new(Vec::with_capacity(64 * 1024));
    if let Some(out) = child.stdout.take() {
        out.take(MOST).read_to_end(&mut plain).map_err(failed)?;
    }
    // Dropping the pipe ended a program that prints without end.
    let status = child.wait().map_err(failed)?;
    if plain.len() as u64 == MOST {
        return Err(ProgramError::TooMuch { program, file: file.to_owned() });
    }
    if status.success() { Ok(plain) } else { Err(ProgramError::Failed { program, file: file.to_owned() }) }
}
