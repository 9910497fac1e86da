//! A value for a secret, from stdin or the person at the terminal.

use std::io::{self, IsTerminal, Read};

use authy::{SecretName, SecretValue};
use zeroize::Zeroizing;

use super::desk;
use super::failure::Failure;

/// How a value ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Without the newline that `echo` and editors put at the end.
    Trimmed,
    /// With every byte there is.
    Exact,
}

/// A value for a secret: from stdin, or typed without being shown. Never from the command line, which others can see.
pub(super) fn read(name: &SecretName, ending: Ending) -> Result<SecretValue, Failure> {
    if io::stdin().is_terminal() {
        let typed = desk::ask(&format!("Value of {name}: "), "the value", "give it on stdin")?;
        return Ok(SecretValue::new(typed.as_slice()).map_err(authy::Error::from)?);
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(authy::LONGEST_VALUE + 2));
    let limit = authy::LONGEST_VALUE as u64 + 2;
    let read = io::stdin().lock().take(limit).read_to_end(&mut bytes);
    read.map_err(|source| Failure::Read { what: "the value from stdin".to_owned(), source })?;
    if ending == Ending::Trimmed {
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let length = line.strip_suffix(b"\r").unwrap_or(line).len();
        bytes.truncate(length);
    }
    Ok(SecretValue::new(bytes.as_slice()).map_err(authy::Error::from)?)
}
