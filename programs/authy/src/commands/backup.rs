//! `authy backup` and `authy restore`; and files with something secret in them.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use authy::{Restore, SecretName};
use serde::Serialize;
use zeroize::Zeroizing;

use super::desk::Desk;
use super::failure::Failure;
use super::trust;

/// Copy the vault to a new file, encrypted as it is; no key is needed
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy backup ~/vault-backup.db")]
pub(super) struct Args {
    /// The file to make
    file: PathBuf,
}

/// Bring back a removed secret, or put a backup in the place of the vault
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy restore stripe-key       a secret from the trash, with its versions and rules
  authy restore ~/vault.backup   the whole vault, as it was")]
pub(super) struct RestoreArgs {
    /// The name of a removed secret, or a backup: a file that is there
    #[arg(value_name = "NAME|FILE")]
    file: PathBuf,
    /// Replace the vault that is there; what is in it is lost
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Restored<'a> {
    restored: &'a SecretName,
}

#[derive(Serialize)]
struct Copied<'a> {
    vault: &'a Path,
    backup: &'a Path,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    if !desk.vault.exists() {
        return Err(authy::Error::NotInitialized.into());
    }
    desk.vault.backup(&args.file)?;
    let copied = Copied { vault: &desk.vault.file(), backup: &args.file };
    desk.answer(&format!("copied the vault to `{}`", args.file.display()), &copied)
}

pub(super) fn restore(desk: &Desk, args: &RestoreArgs) -> Result<(), Failure> {
    let name = args.file.to_str().and_then(|text| SecretName::new(text).ok());
    // A file that somebody left here under the name of a secret is not meant: without `--force` it could not be put in the
    // place of a vault anyway.
    let meant = |_: &SecretName| !args.file.exists() || (desk.vault.exists() && !args.force);
    if let Some(name) = name.filter(meant) {
        desk.session()?.restore(&name)?;
        return desk.answer(&format!("Restored secret '{name}'"), &Restored { restored: &name });
    }
    let mode = if args.force { Restore::Replacing } else { Restore::IntoNothing };
    // What cannot be unlocked any more says nothing about the backup.
    let credential = if desk.vault.exists() { desk.credential().ok() } else { None };
    if let (Restore::Replacing, Some(credential)) = (mode, &credential) {
        desk.vault.check_backup(&args.file, credential)?;
    }
    desk.vault.restore(&args.file, mode)?;
    let copied = Copied { vault: &desk.vault.file(), backup: &args.file };
    // It is an older state, on purpose; who has a key can say so at once.
    let credential = credential.map_or_else(|| desk.credential(), Ok);
    match credential.and_then(|credential| Ok(desk.vault.trust(&credential)?)) {
        Ok(session) => trust::warn_of_grants(desk, &session)?,
        Err(Failure::Vault(authy::Error::NoCredentials | authy::Error::OldFormat)) => {
            desk.remark("before it can be used, say that it is the one you mean: `authy trust`");
        }
        Err(failure) => return Err(failure),
    }
    desk.answer(&format!("the vault is as it was in `{}`", args.file.display()), &copied)
}

/// Writes a new file that only this user can read, whole or not at all.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = files::create_private(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Failure::FileExists(path.to_owned()),
        _ => Failure::Write { path: path.to_owned(), source },
    })?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|source| {
        let _ = fs::remove_file(path);
        Failure::Write { path: path.to_owned(), source }
    })
}

/// Reads a file that a person named, up to what makes sense.
pub(super) fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let failed = |source| Failure::Read { what: format!("`{}`", path.display()), source };
    let file = fs::File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    // Room for all of it from the start, so that no copy is left behind when it grows.
    let room = usize::try_from(length.min(authy::import::LARGEST_FILE) + 1).unwrap_or_default();
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    file.take(authy::import::LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > authy::import::LARGEST_FILE {
        return Err(authy::import::ImportError::TooLarge(path.to_owned()).into());
    }
    Ok(bytes)
}
