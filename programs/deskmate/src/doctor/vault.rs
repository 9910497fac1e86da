//! The vault: whether it is whole, and whether the token of this process still opens it. No secret is looked at.

use std::path::Path;

use authy::{Credential, Timestamp, Vault};

use super::check::Check;
use crate::sys;

const STOPS: &[&str] = &["authy"];

/// A token that ends within these milliseconds, a week, is worth a word.
const SOON: i64 = 7 * 24 * 3_600 * 1_000;

const NEW_TOKEN: &str = "make a new grant with `authy setup-agent`";

pub(super) fn look() -> Vec<Check> {
    let vault = match Vault::from_environment(super::set) {
        Ok(vault) => vault,
        Err(error) => {
            return vec![Check::problem_of("vault", &error.to_string(), "set `AUTHY_HOME`").stops(STOPS)];
        }
    };
    let file = vault.file();
    if !vault.exists() {
        let found = format!("there is none at `{}`", file.display());
        return vec![Check::not_set_up("vault", found, make_one()).stops(STOPS)];
    }
    // Before it is opened, which would close it: this looks and does not touch.
    if is_open_to_others(&vault) {
        let folder = vault.folder().display();
        let found = format!("others can read the encrypted vault in `{folder}`");
        return vec![Check::problem("vault", found, sys::close_all_to_others(folder))];
    }
    match vault.check() {
        Ok(()) => vec![Check::ok("vault", format!("`{}` is intact", file.display())), token(&vault)],
        Err(error) => {
            let fix = "restore a backup with `authy restore`; `authy doctor` says more";
            vec![Check::problem_of("vault", &error.to_string(), fix).stops(STOPS)]
        }
    }
}

/// Whoever built `deskmate` alone does not have the command that makes a vault.
fn make_one() -> &'static str {
    let path = super::set("PATH").unwrap_or_default();
    let beside = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
    let mut folders = std::env::split_paths(&path).chain(beside);
    if folders.any(|folder| folder.join(format!("authy{}", std::env::consts::EXE_SUFFIX)).is_file()) {
        "make a vault with `authy init`"
    } else {
        "install the program `authy`, then make a vault with `authy init`"
    }
}

/// Whether other users can read the encrypted file.
pub(super) fn is_open_to_others(vault: &Vault) -> bool {
    let is_open = |path: &Path| files::is_open_to_others(path).unwrap_or(false);
    is_open(vault.folder()) || is_open(&vault.file())
}

/// What this process has to open it with.
fn token(vault: &Vault) -> Check {
    let credential = match Credential::from_environment(super::set) {
        Ok(credential) => credential,
        Err(error) => return refused(&error),
    };
    match credential {
        None => Check::not_set_up(
            "vault token",
            "this process has none, so its agents cannot use the vault",
            "make a grant for an app with `authy setup-agent`",
        )
        .stops(STOPS),
        Some(Credential::Keyfile(path)) if !path.is_file() => {
            let found = format!("`AUTHY_KEYFILE` names a file that is not there: `{}`", path.display());
            Check::problem("vault token", found, "correct it, or unset it").stops(STOPS)
        }
        Some(Credential::Keyfile(_)) => {
            Check::ok("vault token", "the owner's keyfile, which opens everything")
        }
        Some(Credential::Passphrase(_) | Credential::Recovery(_)) => Check::problem(
            "vault token",
            "`AUTHY_PASSPHRASE` is in the environment, where every program of yours can read it",
            NEW_TOKEN,
        ),
        Some(token @ Credential::Token(_)) => match vault.unlock(&token) {
            Err(error) => refused(&error),
            Ok(session) => match session.grant().map(|grant| (grant.policy, grant.expires)) {
                None => Check::ok("vault token", "opens the vault"),
                Some((policy, None)) => {
                    Check::ok("vault token", format!("opens `{policy}` until it is revoked"))
                }
                Some((policy, Some(end))) if ends_soon(end) => Check::problem(
                    "vault token",
                    format!("opens `{policy}`, but only until {end}"),
                    NEW_TOKEN,
                ),
                Some((policy, Some(end))) => {
                    Check::ok("vault token", format!("opens `{policy}` until {end}"))
                }
            },
        },
    }
}

/// The owner is the one who reads this, so "ask the owner" is no advice.
fn refused(error: &authy::Error) -> Check {
    let error = error.to_string();
    let found = error.split("; ").next().unwrap_or_default();
    Check::problem("vault token", found, NEW_TOKEN).stops(STOPS)
}

fn ends_soon(end: Timestamp) -> bool {
    end.millis() - Timestamp::now().millis() < SOON
}
