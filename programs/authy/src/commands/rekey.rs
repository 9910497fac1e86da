//! `authy rekey`: the ways to unlock the vault, and its own key.

use std::fmt::Write as _;
use std::path::PathBuf;

use authy::{Credential, Identity, NewSlot, RecoveryCode, Session, SlotInfo, SlotKind};
use serde::Serialize;
use zeroize::Zeroizing;

use super::desk::{self, Desk, Output};
use super::failure::Failure;
use super::table::table;
use super::{fd, hidden, keychain};

/// Change what opens the vault
#[allow(clippy::struct_excessive_bools, reason = "each is an option a person can give")]
#[derive(clap::Args)]
#[command(
    override_usage = "authy rekey [OPTIONS]",
    group = clap::ArgGroup::new("what").required(true),
    after_help = "Examples:
  authy rekey --to-passphrase                    a new passphrase instead of the old one
  authy rekey --generate-keyfile ~/.authy.key    a new keyfile instead
  authy rekey --to-passphrase --add              a passphrase besides what there is
  authy rekey --new-recovery-code                when the old one was lost or seen
  authy rekey --rotate-vault-key                 a new key; what opens the vault stays good
  authy rekey --recovery --to-passphrase         the passphrase was lost
  authy rekey --compromised --generate-keyfile ~/.authy.key    somebody has the old one

A new passphrase or keyfile replaces those there are, and every key of the vault with them: the
old one with an old copy opens nothing stored later. The recovery code and grants stay good."
)]
pub(super) struct Args {
    /// List what opens the vault; no key is needed
    #[arg(long, group = "what")]
    list: bool,
    /// A new passphrase
    #[arg(long, group = "what")]
    to_passphrase: bool,
    /// Make a new keyfile at this path
    #[arg(long, group = "what", value_name = "FILE")]
    generate_keyfile: Option<PathBuf>,
    /// Use the age identity in this file
    #[arg(long, group = "what", value_name = "FILE")]
    new_keyfile: Option<PathBuf>,
    /// A new recovery code instead of the old one
    #[arg(long, group = "what")]
    new_recovery_code: bool,
    /// Let the keychain of the operating system open the vault for you
    #[arg(long, group = "what")]
    add_keychain: bool,
    /// Remove one of the ways in, as `--list` numbers them
    #[arg(long, group = "what", value_name = "N")]
    remove_slot: Option<i64>,
    /// Give the vault a new key
    #[arg(long, group = "what")]
    rotate_vault_key: bool,
    /// Keep the ways in there are besides the new one
    #[arg(long)]
    add: bool,
    /// Somebody else has what opened the vault: make every key anew, and let nothing but the new passphrase or keyfile open it.
    /// Every other way in and every grant goes
    #[arg(long, conflicts_with_all = ["add", "list", "remove_slot", "rotate_vault_key", "new_recovery_code", "add_keychain"])]
    compromised: bool,
    /// Read the new passphrase from this file descriptor
    #[arg(long, value_name = "N", requires = "to_passphrase")]
    new_passphrase_fd: Option<i32>,
}

#[derive(Serialize)]
struct Listed {
    slots: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    id: i64,
    kind: SlotKind,
    created: String,
    public_key: String,
}

#[derive(Serialize, Default)]
struct Done<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed_slots: Vec<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_code: Option<&'a str>,
}

pub(super) fn run(desk: &Desk, args: Args) -> Result<(), Failure> {
    if args.list {
        return list(desk, &desk.vault.slots()?);
    }
    // Everything is asked for before the vault is unlocked: that takes a while, in which what is typed would be shown.
    let silence = hidden::silence();
    let credential = desk.credential()?;
    let passphrase =
        if args.to_passphrase { Some(new_passphrase(desk, args.new_passphrase_fd)?) } else { None };
    drop(silence);
    let session = desk.unlock(&credential)?;
    if let Some(id) = args.remove_slot {
        session.remove_slot(id)?;
        return desk
            .answer(&format!("removed key slot {id}"), &Done { removed_slots: vec![id], ..Done::default() });
    }
    if args.rotate_vault_key {
        session.rotate_vault_key()?;
        return desk.answer("the vault has a new key; what opens it stays good", &Done::default());
    }
    if args.new_recovery_code {
        return new_recovery_code(desk, &session);
    }
    if args.add_keychain {
        let code = RecoveryCode::random()?;
        keychain::store(&desk.vault, &code)?;
        let slot = session.add_slot(&NewSlot::Keychain(code))?;
        return desk.answer("the keychain opens the vault", &Done { slot: Some(slot.id), ..Done::default() });
    }
    let (new, credential) = new_way_in(passphrase, args.generate_keyfile, args.new_keyfile)?;
    if args.compromised {
        return compromised(desk, &session, &new);
    }
    let before = session.slots()?;
    let slot = session.add_slot(&new)?;
    let mut removed = Vec::new();
    if !args.add {
        // By the new key, which shows that it works before the old one goes; and a session ends with its own slot.
        let session = desk.vault.unlock(&credential)?.with_actor("authy");
        let old = before.iter().filter(|old| matches!(old.kind, SlotKind::Passphrase | SlotKind::Keyfile));
        removed.extend(old.map(|old| old.id));
        if !removed.is_empty() {
            session.remove_slots(&removed)?;
        }
    }
    let text = if args.add {
        "added a way into the vault"
    } else {
        "the vault opens with the new key, and no more with the old"
    };
    desk.answer(text, &Done { slot: Some(slot.id), removed_slots: removed, recovery_code: None })
}

#[derive(Serialize)]
struct Recovered {
    slot: i64,
    removed_slots: Vec<i64>,
    revoked_grants: Vec<String>,
    rotate: Vec<String>,
}

/// One new way in, and nothing of what there was; and what has to be done elsewhere.
fn compromised(desk: &Desk, session: &Session, new: &NewSlot) -> Result<(), Failure> {
    let recovered = session.recover(new)?;
    let done = Recovered {
        slot: recovered.slot.id,
        removed_slots: recovered.removed.iter().map(|slot| slot.id).collect(),
        revoked_grants: recovered
            .revoked
            .iter()
            .map(|grant| format!("{} {}", grant.id, grant.label))
            .collect(),
        rotate: recovered.exposed.iter().map(ToString::to_string).collect(),
    };
    let mut text =
        String::from("the vault has new keys and a new identity, and opens with the new key alone\n");
    for slot in &recovered.removed {
        let _ = writeln!(text, "removed: {} (slot {})", slot.kind, slot.id);
    }
    for grant in &done.revoked_grants {
        let _ = writeln!(text, "revoked: grant {grant}");
    }
    if !done.rotate.is_empty() {
        text.push_str("\nWhoever had the old key may know these values. Replace each where it is used, then `authy rotate` it:\n");
        for name in &done.rotate {
            let _ = writeln!(text, "  {name}");
        }
    }
    text.push_str("\nThere is no recovery code now; `authy rekey --new-recovery-code` makes one");
    desk.answer(&text, &done)
}

/// A new passphrase, typed twice or from where it was said to be.
fn new_passphrase(desk: &Desk, from: Option<i32>) -> Result<Zeroizing<String>, Failure> {
    let new = match from {
        Some(number) => desk::text(&fd::read_line(number)?)?,
        None => desk::type_twice()?,
    };
    let new = desk::strong_enough(new)?;
    desk.remark(&format!("the passphrase is {}", desk::strength(&new)));
    Ok(new)
}

/// The new slot, and what opens it.
fn new_way_in(
    passphrase: Option<Zeroizing<String>>,
    generate: Option<PathBuf>,
    keyfile: Option<PathBuf>,
) -> Result<(NewSlot, Credential), Failure> {
    if let Some(new) = passphrase {
        return Ok((NewSlot::Passphrase(new.clone()), Credential::Passphrase(new)));
    }
    if let Some(path) = generate {
        let identity = Identity::random()?;
        identity.write(&path)?;
        return Ok((NewSlot::Keyfile(identity), Credential::Keyfile(path)));
    }
    let path = keyfile.ok_or(Failure::Usage("say what should open the vault; see `authy rekey --help`"))?;
    Ok((NewSlot::Keyfile(Identity::read(&path)?), Credential::Keyfile(path)))
}

fn new_recovery_code(desk: &Desk, session: &Session) -> Result<(), Failure> {
    let code = RecoveryCode::random()?;
    let before = session.slots()?;
    let slot = session.add_slot(&NewSlot::Recovery(code.clone()))?;
    let session = desk.vault.unlock(&Credential::Recovery(code.clone()))?.with_actor("authy");
    let old = before.iter().filter(|old| old.kind == SlotKind::Recovery);
    let removed: Vec<i64> = old.map(|old| old.id).collect();
    if !removed.is_empty() {
        session.remove_slots(&removed)?;
    }
    let code = code.reveal();
    desk.remark("Recovery code, shown this once. Write it down and keep it away from this machine:\n");
    match desk.output {
        Output::Text => desk::show(&code),
        Output::Json => {
            desk.answer("", &Done { slot: Some(slot.id), removed_slots: removed, recovery_code: Some(&code) })
        }
    }
}

fn list(desk: &Desk, slots: &[SlotInfo]) -> Result<(), Failure> {
    let row = |slot: &SlotInfo| {
        [slot.id.to_string(), slot.kind.to_string(), slot.created.to_string(), slot.recipient.clone()]
    };
    let item = |slot: &SlotInfo| Item {
        id: slot.id,
        kind: slot.kind,
        created: slot.created.to_string(),
        public_key: slot.recipient.clone(),
    };
    let rows: Vec<[String; 4]> = slots.iter().map(row).collect();
    let listed = Listed { slots: slots.iter().map(item).collect() };
    desk.answer(&table(["SLOT", "OPENED BY", "SINCE", "PUBLIC KEY"], &rows), &listed)
}
