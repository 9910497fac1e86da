//! `authy init`: a new vault.

use std::path::PathBuf;

use authy::{Identity, NewSlot, RecoveryCode};
use serde::Serialize;

use super::desk::{self, Desk, Output};
use super::failure::Failure;

/// Make a vault
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy init                                     asks for a passphrase, twice
  authy init --generate-keyfile ~/.authy.key     opened by a file instead; keep it safe
  authy init --passphrase-fd 3 3< <(pass authy)  a passphrase from elsewhere

The recovery code is printed this once. It opens the vault when passphrase or keyfile are lost:
write it down.")]
pub(super) struct Args {
    /// Make a keyfile at this path that opens the vault
    #[arg(long, value_name = "FILE")]
    generate_keyfile: Option<PathBuf>,
    /// Let a passphrase open the vault: from the environment, or asked for. This is the default without a keyfile
    #[arg(long)]
    passphrase: bool,
    /// Make no recovery code
    #[arg(long)]
    no_recovery_code: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    vault: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    keyfile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_code: Option<&'a str>,
}

pub(super) fn run(desk: &Desk, args: Args) -> Result<(), Failure> {
    // Before anything is asked for or written.
    if desk.vault.exists() {
        return Err(authy::Error::AlreadyInitialized(desk.vault.folder().to_owned()).into());
    }
    let mut slots = Vec::new();
    if args.passphrase || args.generate_keyfile.is_none() {
        let passphrase = desk.new_passphrase()?;
        desk.remark(&format!("the passphrase is {}", desk::strength(&passphrase)));
        slots.push(NewSlot::Passphrase(passphrase));
    }
    let keyfile = match args.generate_keyfile {
        Some(path) => {
            let identity = Identity::random()?;
            identity.write(&path)?;
            slots.push(NewSlot::Keyfile(identity.clone()));
            Some((path, identity))
        }
        None => None,
    };
    let code = if args.no_recovery_code { None } else { Some(RecoveryCode::random()?) };
    slots.extend(code.clone().map(NewSlot::Recovery));
    if let Err(error) = desk.vault.create(&slots) {
        // A keyfile that opens nothing would only be in the way of the next attempt.
        if let Some((path, _)) = &keyfile {
            let _ = std::fs::remove_file(path);
        }
        return Err(error.into());
    }
    let code = code.map(|code| code.reveal());
    let mut text = format!("made a vault: {}\n", desk.vault.file().display());
    if let Some((path, identity)) = &keyfile {
        text = format!("{text}keyfile: {}\npublic key: {}\n", path.display(), identity.recipient());
    }
    let answer = Answer {
        vault: desk.vault.file().display().to_string(),
        keyfile: keyfile.as_ref().map(|(path, _)| path.display().to_string()),
        public_key: keyfile.as_ref().map(|(_, identity)| identity.recipient()),
        recovery_code: code.as_ref().map(|code| code.as_str()),
    };
    desk.answer(&text, &answer)?;
    if let (Some(code), Output::Text) = (&code, desk.output) {
        desk.remark("\nRecovery code, shown this once. Write it down and keep it away from this machine:\n");
        desk::show(code)?;
    }
    if let Some((path, _)) = &keyfile {
        desk.remark(&format!("\nTo unlock with the keyfile: export AUTHY_KEYFILE={}", path.display()));
    }
    Ok(())
}
