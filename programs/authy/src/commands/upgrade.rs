//! `authy upgrade`: a vault of the earlier format made into one of today.

use serde::Serialize;

use super::desk::{self, Desk, Output};
use super::failure::Failure;

/// Make a vault of the earlier format into one of today
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy upgrade

The passphrase or keyfile that you use now stays good. Other ways in and the tokens of grants
cannot be carried over: they did not say which vault they belong to. A new recovery code is
printed, and the grants are listed.")]
pub(super) struct Args {}

#[derive(Serialize)]
struct Answer<'a> {
    secrets: usize,
    policies: usize,
    recovery_code: &'a str,
    grants: &'a [String],
    old_file: String,
}

pub(super) fn run(desk: &Desk, _: &Args) -> Result<(), Failure> {
    let done = desk.vault.upgrade(&desk.credential()?)?;
    let code = done.recovery.reveal();
    let answer = Answer {
        secrets: done.secrets,
        policies: done.policies,
        recovery_code: &code,
        grants: &done.grants,
        old_file: done.old_file.display().to_string(),
    };
    if desk.output == Output::Json {
        return desk.answer("", &answer);
    }
    desk.remark(&format!("upgraded: {} secrets, {} policies", done.secrets, done.policies));
    for slot in &done.slots {
        desk.remark(&format!("to be added again: {slot}, with `authy rekey --add`"));
    }
    for grant in &done.grants {
        desk.remark(&format!("to be granted again: {grant}"));
    }
    desk.remark(&format!(
        "the old vault is kept as `{}`; remove it when you are sure that you do not need it",
        answer.old_file
    ));
    desk.remark("\nNew recovery code, shown this once. Write it down and keep it away from this machine:\n");
    desk::show(&code)
}
