//! `authy trust`: the vault that is there is the one that is meant.

use authy::{Session, Timestamp};
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;

/// Accept the vault that is there, although this machine knows another or a newer one
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy trust

Needed once after you moved or copied the vault, or put a backup back by hand. If you did
neither, somebody else did: the vault may be an old one, with values and rules that you have
since changed.

The credential still has to recognise the vault: a forged one is never accepted.")]
pub(super) struct Args {}

#[derive(Serialize)]
struct Answer {
    secrets: usize,
    last_change: Option<String>,
}

pub(super) fn run(desk: &Desk, _: &Args) -> Result<(), Failure> {
    let session = desk.vault.trust(&desk.credential()?)?.with_actor("authy");
    let infos = session.infos(None)?;
    let last = infos.iter().map(|info| info.modified).max().map(|time| time.to_string());
    let since = last.as_ref().map_or(String::new(), |time| format!(", the newest value of {time}"));
    let text = format!(
        "this machine now knows the vault at `{}`: {} secrets{since}",
        desk.vault.file().display(),
        infos.len()
    );
    desk.answer(&text, &Answer { secrets: infos.len(), last_change: last })?;
    warn_of_grants(desk, &session)
}

/// What was taken back after this state of the vault is good again in it.
pub(super) fn warn_of_grants(desk: &Desk, session: &Session) -> Result<(), Failure> {
    let now = Timestamp::now();
    let stands = |grant: &&authy::GrantInfo| !grant.revoked && grant.expires.is_none_or(|end| end > now);
    let good = session.grants()?.iter().filter(stands).count();
    if good > 0 {
        desk.remark(&format!(
            "{good} grants are good in it, those that were revoked since, too; look at `authy grant list`"
        ));
    }
    Ok(())
}
