//! `authy import`: secrets from elsewhere.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use authy::import::{self, Found, ImportError, Names, OldKey};
use authy::{Error, Identity, NewPolicy, NewSecret, Overwrite, SecretName, Session};
use serde::Serialize;
use zeroize::Zeroizing;

use super::backup;
use super::desk::{self, Desk};
use super::failure::Failure;

/// Store secrets from a dotenv file, a password store, sops, 1Password or an old vault
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy import .env                                  names become lower-kebab: DB_URL is db-url
  authy import .env --dry-run                        what would be stored; no values are shown
  authy import --from pass ~/.password-store         decrypted by gpg
  authy import --from sops secrets.yaml              decrypted by sops
  authy import --from 1password export.1pux          or a CSV export
  authy import --from vault-age ~/.authy/vault.age --old-keyfile old.key

Delete exports with secrets in clear when they are imported.")]
pub(super) struct Args {
    /// The file, or the folder of a password store; `-` is stdin, for dotenv
    path: PathBuf,
    /// What it is
    #[arg(long, value_enum, default_value_t = From::Dotenv)]
    from: From,
    /// Keep names as they are
    #[arg(long)]
    keep_names: bool,
    /// What stands before every name
    #[arg(long, value_name = "TEXT", default_value = "")]
    prefix: String,
    /// Give secrets that are there a new version, instead of leaving them as they are
    #[arg(long)]
    force: bool,
    /// Say what would be stored, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// The keyfile of the old vault or store; without one, its passphrase is asked for
    #[arg(long, value_name = "FILE")]
    old_keyfile: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum From {
    Dotenv,
    Pass,
    Sops,
    #[value(name = "1password")]
    OnePassword,
    /// The vault of the first authy
    #[value(alias = "authy")]
    VaultAge,
}

#[derive(Serialize)]
struct Answer<'a> {
    imported: Vec<&'a SecretName>,
    skipped: Vec<&'a SecretName>,
    policies: Vec<&'a str>,
    dry_run: bool,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    // Everything is asked for before the vault is unlocked: that may take a while.
    let credential = desk.credential()?;
    let (found, policies) = read(args)?;
    let session = desk.unlock(&credential)?;
    let names = if args.keep_names { Names::Kept } else { Names::Kebab };
    let secrets = import::name_all(found, names, &args.prefix)?;
    let there: BTreeSet<SecretName> = session.list(None)?.into_iter().collect();
    let (new, skipped): (Vec<NewSecret>, Vec<NewSecret>) =
        secrets.into_iter().partition(|secret| args.force || !there.contains(&secret.name));
    let policies = missing(&session, policies)?;
    if !args.dry_run {
        session.store_many(&new, if args.force { Overwrite::NewVersion } else { Overwrite::Refuse })?;
        for policy in &policies {
            session.create_policy(policy)?;
        }
    }
    let answer = Answer {
        imported: new.iter().map(|secret| &secret.name).collect(),
        skipped: skipped.iter().map(|secret| &secret.name).collect(),
        policies: policies.iter().map(|policy| policy.name.as_str()).collect(),
        dry_run: args.dry_run,
    };
    desk.answer(&text(&answer), &answer)
}

/// What is there to import: secrets, and policies of an old vault.
fn read(args: &Args) -> Result<(Vec<Found>, Vec<NewPolicy>), Failure> {
    let identity = args.old_keyfile.as_deref().map(Identity::read).transpose()?;
    let found = match args.from {
        From::Dotenv => import::dotenv(&utf8(&dotenv(&args.path)?, "a dotenv file")?)?,
        From::Pass => import::pass(&args.path, identity.as_ref())?,
        From::Sops => import::sops(&args.path)?,
        From::OnePassword => {
            let file = backup::read(&args.path)?;
            if file.starts_with(b"PK") {
                import::one_password_1pux(&file)?
            } else {
                import::one_password_csv(&utf8(&file, "an export of 1Password")?)?
            }
        }
        From::VaultAge => {
            let file = backup::read(&args.path)?;
            let key = match identity {
                Some(identity) => OldKey::Keyfile(identity),
                None => OldKey::Passphrase(old_passphrase()?),
            };
            let old = import::old_vault(&file, &key)?;
            return Ok((old.secrets, old.policies));
        }
    };
    Ok((found, Vec::new()))
}

fn dotenv(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    if path != Path::new("-") {
        return backup::read(path);
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(64 * 1024));
    let read = io::stdin().lock().take(import::LARGEST_FILE).read_to_end(&mut bytes);
    read.map_err(|source| Failure::Read { what: "stdin".to_owned(), source })?;
    Ok(bytes)
}

fn utf8(bytes: &[u8], expected: &'static str) -> Result<Zeroizing<String>, Failure> {
    let text = std::str::from_utf8(bytes).map(|text| Zeroizing::new(text.to_owned()));
    text.map_err(|_| ImportError::Format { expected, reason: "it is not UTF-8 text".to_owned() }.into())
}

fn old_passphrase() -> Result<Zeroizing<String>, Failure> {
    const REMEDY: &str = "give `--old-keyfile`, or use a terminal";
    desk::text(&desk::ask("Passphrase of the old vault: ", "the old passphrase", REMEDY)?)
}

/// Those policies of an old vault that are not here yet.
fn missing(session: &Session, policies: Vec<NewPolicy>) -> Result<Vec<NewPolicy>, Failure> {
    let mut missing = Vec::new();
    for policy in policies {
        match session.policy(&policy.name) {
            Ok(_) => {}
            Err(Error::PolicyNotFound(_)) => missing.push(policy),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(missing)
}

/// Names only: a dry run is often shown around.
fn text(answer: &Answer) -> String {
    let mut text = String::new();
    if answer.dry_run {
        text.extend(answer.imported.iter().map(|name| format!("would store {name}\n")));
    }
    text.extend(answer.skipped.iter().map(|name| format!("skipped {name}: there already (use --force)\n")));
    text.extend(answer.policies.iter().map(|name| format!("policy {name}\n")));
    let end = if answer.dry_run { " (dry run)" } else { "" };
    text + &format!("{} imported, {} skipped{end}", answer.imported.len(), answer.skipped.len())
}
