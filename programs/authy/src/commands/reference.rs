//! References to secrets, `authy://NAME`: in `authy read`, and in variables that `authy run` fills in.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::str::FromStr;

use authy::{BadName, SecretName};

use super::desk::{self, Desk};
use super::failure::Failure;

const SCHEME: &str = "authy://";

/// `authy://NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference(SecretName);

#[derive(Debug, thiserror::Error)]
pub(super) enum BadReference {
    #[error("a reference is `authy://` and the name of a secret, such as `authy://stripe-key`")]
    Scheme,
    #[error(transparent)]
    Name(#[from] BadName),
}

impl FromStr for Reference {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Reference, BadReference> {
        let name = text.strip_prefix(SCHEME).ok_or(BadReference::Scheme)?;
        Ok(Reference(SecretName::new(name)?))
    }
}

/// Print the value that a reference stands for, without a newline after it unless on a terminal
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy read authy://stripe-key                                  for scripts and templates
  export STRIPE_KEY=authy://stripe-key; authy run -- ./server    filled in for the command")]
pub(super) struct Args {
    /// `authy://` and the name of a secret
    reference: Reference,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let Reference(name) = &args.reference;
    let value = desk.access()?.value(name, None, "showing it")?;
    desk::show_exactly(value.as_bytes())?;
    // A person's prompt goes on in the next line.
    if std::io::stdout().is_terminal() { desk::show_exactly(b"\n") } else { Ok(()) }
}

/// The variables of this environment that are references.
pub(super) fn variables() -> BTreeMap<String, SecretName> {
    let reference = |(variable, value): (std::ffi::OsString, std::ffi::OsString)| {
        let Reference(name) = value.to_str()?.parse().ok()?;
        Some((variable.into_string().ok()?, name))
    };
    std::env::vars_os().filter_map(reference).collect()
}

#[cfg(test)]
mod tests {
    use super::Reference;

    #[test]
    fn a_reference_is_the_scheme_and_a_name() {
        assert!("authy://prod/db".parse::<Reference>().is_ok());
        for bad in ["", "prod/db", "authy:", "authy://", "authy://a b", "AUTHY://a", "op://a"] {
            assert!(bad.parse::<Reference>().is_err(), "{bad}");
        }
    }
}
