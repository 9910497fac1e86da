//! `authy doctor`: what is there, and what is wrong with it. It repairs nothing and shows no secret.

use authy::{Credential, Session, Timestamp};
use serde::Serialize;

use super::desk::{self, Desk, Source};
use super::failure::Failure;
use super::grant;
use crate::sys;

/// Check the vault and how it is unlocked; nothing is changed, and nobody is asked
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy doctor
  authy doctor --json")]
pub(super) struct Args {}

#[derive(Serialize)]
struct Report {
    checks: Vec<Check>,
}

#[derive(Serialize)]
struct Check {
    #[serde(rename = "check")]
    subject: &'static str,
    status: Status,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'static str>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warning,
    Problem,
}

impl Check {
    fn ok(subject: &'static str, found: impl Into<String>) -> Check {
        Check { subject, status: Status::Ok, found: found.into(), remedy: None }
    }

    fn warning(subject: &'static str, found: impl Into<String>, remedy: &'static str) -> Check {
        Check { subject, status: Status::Warning, found: found.into(), remedy: Some(remedy) }
    }

    fn problem(subject: &'static str, found: impl Into<String>, remedy: Option<&'static str>) -> Check {
        Check { subject, status: Status::Problem, found: found.into(), remedy }
    }

    fn line(&self) -> String {
        let mark = match self.status {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Problem => "problem",
        };
        let remedy = self.remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default();
        format!("{mark:8} {:12} {}{remedy}\n", self.subject, self.found)
    }
}

pub(super) fn run(desk: &Desk, _: &Args) -> Result<(), Failure> {
    let mut checks = vec![Check::ok("version", env!("CARGO_PKG_VERSION"))];
    if desk.vault.exists() {
        checks.extend(files(desk));
        checks.extend(slots(desk));
        checks.extend(unlocking(desk)?);
    } else {
        let found = format!("there is none at `{}`", desk.vault.file().display());
        checks.push(Check::problem("vault", found, Some("make one with `authy init`")));
    }
    let text: String = checks.iter().map(Check::line).collect();
    let problems = checks.iter().filter(|check| check.status == Status::Problem).count();
    desk.answer(&text, &Report { checks })?;
    if problems > 0 { Err(Failure::Unwell(problems)) } else { Ok(()) }
}

fn files(desk: &Desk) -> Vec<Check> {
    let file = desk.vault.file();
    let whole = match desk.vault.check() {
        Ok(()) => Check::ok("vault", format!("`{}` is whole", file.display())),
        Err(error) => Check::problem("vault", error.to_string(), None),
    };
    let modes = match (files::is_open_to_others(desk.vault.folder()), files::is_open_to_others(&file)) {
        (Ok(false), Ok(false)) => Check::ok("modes", "only you can read it"),
        (Ok(folder), Ok(_)) => {
            let which = if folder { desk.vault.folder() } else { file.as_path() };
            let found = format!("`{}` is open to others: they may read the encrypted vault", which.display());
            Check::warning("modes", found, sys::CLOSE)
        }
        (Err(error), _) | (_, Err(error)) => Check::problem("modes", error.to_string(), None),
    };
    let anchor = desk.vault.anchor_file();
    let anchor = if anchor.exists() {
        Check::ok("anchor", format!("`{}`", anchor.display()))
    } else {
        let found = format!("there is none at `{}`", anchor.display());
        Check::warning("anchor", found, "say that the vault is the one you mean with `authy trust`")
    };
    vec![whole, modes, anchor]
}

fn slots(desk: &Desk) -> Vec<Check> {
    let slots = match desk.vault.slots() {
        Ok(slots) => slots,
        Err(error) => return vec![Check::problem("key slots", error.to_string(), None)],
    };
    let kinds: Vec<&str> = slots.iter().map(|slot| slot.kind.as_str()).collect();
    let mut checks = vec![Check::ok("key slots", kinds.join(", "))];
    if slots.len() == 1 {
        let remedy = "add a recovery code with `authy rekey --new-recovery-code`";
        checks.push(Check::warning(
            "recovery",
            "there is one way in, and when it is lost, so is the vault",
            remedy,
        ));
    }
    checks
}

/// How it would be unlocked; and if that needs no person, what is inside.
fn unlocking(desk: &Desk) -> Result<Vec<Check>, Failure> {
    let source = desk.source()?;
    let credential = match source {
        Source::PassphraseFd => Check::ok("credential", "a passphrase by file descriptor"),
        Source::Recovery => Check::ok("credential", "the recovery code, asked for"),
        Source::Token => Check::ok("credential", "the token of a grant, in AUTHY_TOKEN or AUTHY_TOKEN_FILE"),
        Source::Keyfile => Check::ok("credential", "the keyfile in AUTHY_KEYFILE"),
        Source::PassphraseVariable => Check::warning(
            "credential",
            "the passphrase in AUTHY_PASSPHRASE, which every program of yours can read",
            "give agents a grant's token instead, and type the passphrase",
        ),
        Source::Keychain => Check::ok("credential", "the keychain"),
        Source::Prompt => Check::ok("credential", "the passphrase, asked for; not checked now"),
        Source::Nothing => {
            Check::warning("credential", "none", "set AUTHY_KEYFILE or AUTHY_TOKEN, or use a terminal")
        }
    };
    let unlocked = match source {
        Source::Token | Source::Keyfile | Source::PassphraseVariable => {
            let credential = Credential::from_environment(desk::variable);
            credential.and_then(|found| found.map(|credential| desk.vault.unlock(&credential)).transpose())
        }
        Source::PassphraseFd | Source::Recovery | Source::Keychain | Source::Prompt | Source::Nothing => {
            Ok(None)
        }
    };
    let mut checks = vec![credential];
    match unlocked {
        Ok(Some(session)) => checks.extend(inside(&session.with_actor("authy doctor"))),
        Ok(None) => {}
        Err(error) => checks.push(Check::problem("unlocking", error.to_string(), None)),
    }
    Ok(checks)
}

fn inside(session: &Session) -> Vec<Check> {
    let now = Timestamp::now();
    let mut checks = Vec::new();
    match session.infos(None) {
        Err(error) => checks.push(Check::problem("secrets", error.to_string(), None)),
        Ok(infos) => {
            checks.push(Check::ok("secrets", infos.len().to_string()));
            let open = infos.iter().filter(|info| !info.attributes.commands.is_empty()).count();
            if open > 0 {
                let found =
                    format!("{open} secrets have commands from before rules said what a command may do");
                checks.push(Check::warning(
                    "rules",
                    found,
                    "they run unconfined; set them again with `authy set NAME --command …`",
                ));
            }
            let overdue =
                infos.iter().filter(|info| info.attributes.expires.is_some_and(|end| end <= now)).count();
            if overdue > 0 {
                let found = format!("{overdue} should have been replaced by now");
                checks.push(Check::warning(
                    "expiry",
                    found,
                    "`authy list --long` shows them; use `authy rotate`",
                ));
            }
        }
    }
    if let Some(grant) = session.grant() {
        let until = grant.expires.map_or("until it is revoked".to_owned(), |end| format!("until {end}"));
        checks.push(Check::ok("grant", format!("{} on `{}`, {until}", grant.capabilities, grant.policy)));
        return checks;
    }
    match session.grants() {
        Err(error) => checks.push(Check::problem("grants", error.to_string(), None)),
        Ok(grants) => {
            let active: Vec<_> = grants.iter().filter(|info| grant::status(info, now) == "active").collect();
            checks.push(Check::ok("grants", format!("{} active", active.len())));
            if active.iter().any(|info| info.expires.is_none()) {
                checks.push(Check::warning("grants", "one has no end", "`authy grant list` shows it"));
            }
        }
    }
    match session.verify_audit() {
        Err(error) => checks.push(Check::problem("audit log", error.to_string(), None)),
        Ok(report) => checks.push(match report.broken {
            None => Check::ok("audit log", format!("whole, {} entries", report.good)),
            Some(broken) => Check::problem(
                "audit log",
                format!("broken at entry {}: {}", broken.seq, broken.reason),
                None,
            ),
        }),
    }
    checks
}
