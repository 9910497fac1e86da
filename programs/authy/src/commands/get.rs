//! `authy get`: the value of a secret.

use std::path::PathBuf;

use authy::{Error, PolicyName, SecretName, Session};
use serde::Serialize;

use super::agent::Access;
use super::desk::{self, Desk, Output};
use super::failure::Failure;

/// Print the value of a secret
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy get db-url")]
pub(super) struct Args {
    /// Which secret
    name: SecretName,
    /// Only if this policy covers it
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
    /// An earlier version, as `authy history` lists them
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    /// Write the value to this new file, which only you can read, instead of printing it
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a SecretName,
    value: &'a str,
    version: u32,
    created: String,
    modified: String,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let access = desk.access()?;
    match (&access, &args.scope) {
        (Access::Session(session), Some(scope)) => check_scope(session, scope, &args.name)?,
        (Access::Agent(_), Some(_)) => return Err(Failure::Usage("`--scope` does not go through the agent")),
        (Access::Session(_) | Access::Agent(_), None) => {}
    }
    let value = access.value(&args.name, args.version, "showing it")?;
    if let Some(path) = &args.output {
        super::backup::write_new(path, value.as_bytes())?;
        desk.remark(&format!("wrote the value of '{}' to `{}`", args.name, path.display()));
        return Ok(());
    }
    let text = value.as_text().map_err(Error::from)?;
    match desk.output {
        Output::Text => desk::show(text),
        Output::Json => {
            let info = match &access {
                Access::Session(session) => session.info(&args.name)?,
                Access::Agent(_) => {
                    let infos = access.infos(None)?;
                    let newest = infos.into_iter().rfind(|info| info.name == args.name);
                    newest.ok_or(Error::NotFound(args.name.clone()))?
                }
            };
            let answer = Answer {
                name: &args.name,
                value: text,
                version: args.version.unwrap_or(info.version),
                created: info.created.to_string(),
                modified: info.modified.to_string(),
            };
            desk.answer("", &answer)
        }
    }
}

/// A scope narrows what the session may see; it never widens it.
pub(super) fn check_scope(session: &Session, scope: &PolicyName, name: &SecretName) -> Result<(), Failure> {
    if !session.test_policy(scope, name)? {
        return Err(Failure::OutsideScope { scope: scope.clone(), name: name.clone() });
    }
    check_reveals(session, scope, name)
}

/// Whether values of this scope may be shown at all. A grant's own policy is the vault's to check.
pub(super) fn check_reveals(session: &Session, scope: &PolicyName, name: &SecretName) -> Result<(), Failure> {
    if session.grant().is_none() && session.policy(scope)?.run_only {
        return Err(Error::RunOnly(name.clone()).into());
    }
    Ok(())
}
