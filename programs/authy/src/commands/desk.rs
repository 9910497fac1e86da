//! What every command works with: where the vault is, how it is unlocked, and how answers are given.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use authy::{Consent, Credential, RecoveryCode, SecretName, Session, SlotKind, Vault};
use cli::terminal;
use serde::Serialize;
use zeroize::Zeroizing;

use super::failure::Failure;
use super::{fd, hidden, keychain};

/// Who reads the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// People.
    Text,
    /// Programs.
    Json,
}

/// Options that every command has.
#[derive(clap::Args)]
pub(super) struct Global {
    /// Print answers and errors as JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Read the passphrase from this file descriptor, for example a pipe of a password manager
    #[arg(long, global = true, value_name = "N", conflicts_with = "recovery")]
    pub(super) passphrase_fd: Option<i32>,
    /// Unlock with the recovery code, which is asked for
    #[arg(long, global = true)]
    pub(super) recovery: bool,
}

impl Global {
    pub(super) fn output(&self) -> Output {
        if self.json { Output::Json } else { Output::Text }
    }
}

/// The vault of this user, and the person or program that wants something of it.
pub(super) struct Desk {
    pub(super) vault: Vault,
    pub(super) output: Output,
    passphrase_fd: Option<i32>,
    recovery: bool,
}

/// How the vault will be unlocked, without anything secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    PassphraseFd,
    Recovery,
    Token,
    Keyfile,
    PassphraseVariable,
    Keychain,
    Prompt,
    Nothing,
}

impl Desk {
    pub(super) fn new(global: &Global) -> Result<Desk, Failure> {
        Ok(Desk {
            vault: Vault::from_environment(variable)?,
            output: global.output(),
            passphrase_fd: global.passphrase_fd,
            recovery: global.recovery,
        })
    }

    /// What would unlock the vault: what was asked for, then the environment, then the keychain, then the person.
    pub(super) fn source(&self) -> Result<Source, Failure> {
        if self.passphrase_fd.is_some() {
            return Ok(Source::PassphraseFd);
        }
        if self.recovery {
            return Ok(Source::Recovery);
        }
        let variables = [
            ("AUTHY_TOKEN", Source::Token),
            ("AUTHY_TOKEN_FILE", Source::Token),
            ("AUTHY_KEYFILE", Source::Keyfile),
            ("AUTHY_PASSPHRASE", Source::PassphraseVariable),
        ];
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        if let Some((_, source)) = variables.into_iter().find(|(name, _)| is_set(name)) {
            return Ok(source);
        }
        if keychain::AVAILABLE && self.has(SlotKind::Keychain)? {
            return Ok(Source::Keychain);
        }
        Ok(if self.has(SlotKind::Passphrase)? && may_ask() { Source::Prompt } else { Source::Nothing })
    }

    /// Whether the file has a slot of this kind. Nobody has to believe it.
    fn has(&self, kind: SlotKind) -> Result<bool, Failure> {
        let slots = match self.vault.slots() {
            Err(authy::Error::OldFormat) => self.vault.old_slots()?,
            slots => slots?,
        };
        Ok(slots.iter().any(|slot| slot.kind == kind))
    }

    /// Unlocks the vault.
    pub(super) fn session(&self) -> Result<Session, Failure> {
        self.unlock(&self.credential()?)
    }

    /// Unlocks the vault with what was asked for before. Stretching a passphrase takes a while, in which what is typed would
    /// be shown: so everything else that is asked for is asked for first.
    pub(super) fn unlock(&self, credential: &Credential) -> Result<Session, Failure> {
        Ok(self.vault.unlock(credential)?.with_actor("authy").with_durable_reads())
    }

    /// What unlocks the vault, asked for if it has to be.
    pub(super) fn credential(&self) -> Result<Credential, Failure> {
        if !self.vault.exists() {
            return Err(authy::Error::NotInitialized.into());
        }
        Ok(match self.source()? {
            Source::PassphraseFd => Credential::Passphrase(self.passphrase()?),
            Source::Recovery => Credential::Recovery(recovery_code()?),
            Source::Token | Source::Keyfile | Source::PassphraseVariable => {
                Credential::from_environment(variable)?.ok_or(authy::Error::NoCredentials)?
            }
            Source::Keychain => match keychain::read(&self.vault) {
                Ok(code) => Credential::Recovery(code),
                // It may be locked; or somebody has put a row into the file that says there is one.
                Err(error) if may_ask() && self.has(SlotKind::Passphrase)? => {
                    self.remark(&format!("{error}"));
                    Credential::Passphrase(text(&hidden::ask("Passphrase: ")?)?)
                }
                Err(error) => return Err(error),
            },
            Source::Prompt => Credential::Passphrase(text(&hidden::ask("Passphrase: ")?)?),
            Source::Nothing => return Err(authy::Error::NoCredentials.into()),
        })
    }

    /// The passphrase from the file descriptor that was named.
    fn passphrase(&self) -> Result<Zeroizing<String>, Failure> {
        let fd = self.passphrase_fd.ok_or(authy::Error::NoCredentials)?;
        text(&fd::read_line(fd)?)
    }

    /// The passphrase that was given by file descriptor, if one was.
    pub(super) fn given_passphrase(&self) -> Result<Option<Zeroizing<String>>, Failure> {
        self.passphrase_fd.map(|_| self.passphrase()).transpose()
    }

    /// A passphrase for a new way in: from where the old one would come, or typed twice.
    pub(super) fn new_passphrase(&self) -> Result<Zeroizing<String>, Failure> {
        let given = match (self.passphrase_fd, variable("AUTHY_PASSPHRASE")) {
            (Some(_), _) => Some(self.passphrase()?),
            (None, Some(given)) if !given.is_empty() => {
                Some(Zeroizing::new(given.to_string_lossy().into_owned()))
            }
            (None, _) => None,
        };
        given.map_or_else(type_twice, Ok).and_then(strong_enough)
    }

    /// Prints an answer in the form that was asked for.
    pub(super) fn answer(&self, text: &str, json: &impl Serialize) -> Result<(), Failure> {
        match self.output {
            Output::Text if text.is_empty() => Ok(()),
            Output::Text => Ok(terminal::say(text)?),
            Output::Json => {
                let json = Zeroizing::new(serde_json::to_string_pretty(json).map_err(io::Error::from)?);
                Ok(terminal::say(&json)?)
            }
        }
    }

    /// Tells people something besides the answer.
    pub(super) fn remark(&self, text: &str) {
        match self.output {
            Output::Text => terminal::complain(text),
            Output::Json => {}
        }
    }
}

/// Whether a person has said yes to showing or using this secret, where it wants one. Only the owner is asked, and only
/// at a terminal; anybody else has to wait for `authy approve`.
pub(super) fn consent(session: &Session, name: &SecretName, what: &str) -> Result<Consent, Failure> {
    if session.grant().is_some() || !may_ask() || !session.info(name)?.attributes.approve_each_use {
        return Ok(Consent::Unasked);
    }
    let yes = hidden::confirm(&format!("`{name}` wants a yes each time. Allow {what}?"))?;
    if yes { Ok(Consent::Given) } else { Err(authy::Error::Denied(vec![name.clone()]).into()) }
}

/// Prints bytes that are the whole answer, and nothing after them.
pub(super) fn show_exactly(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    Ok(io::Write::write_all(&mut out, bytes).and_then(|()| io::Write::flush(&mut out))?)
}

/// Prints a text that is the whole answer, in whatever form.
pub(super) fn show(text: &str) -> Result<(), Failure> {
    Ok(terminal::say(text)?)
}

/// A variable of the environment.
pub(super) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Whether there is a person to ask.
pub(super) fn may_ask() -> bool {
    variable("AUTHY_NON_INTERACTIVE").is_none_or(|value| value != "1") && hidden::terminal().is_ok()
}

/// Asks for something secret, unless nobody is there.
pub(super) fn ask(
    prompt: &str,
    what: &'static str,
    remedy: &'static str,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    if !may_ask() {
        return Err(Failure::NotAsked {
            what,
            reason: "there is no terminal, or AUTHY_NON_INTERACTIVE is set",
            remedy,
        });
    }
    hidden::ask(prompt)
}

/// A new passphrase, typed twice.
pub(super) fn type_twice() -> Result<Zeroizing<String>, Failure> {
    const REMEDY: &str = "use `--generate-keyfile`, `--passphrase-fd` or AUTHY_PASSPHRASE";
    let first = ask("New passphrase: ", "a passphrase", REMEDY)?;
    let second = ask("The same again: ", "a passphrase", REMEDY)?;
    if first == second { text(&first) } else { Err(Failure::Differ) }
}

/// The fewest characters a passphrase has. Whoever has a copy of the vault can try passphrases for as long as they like.
const SHORTEST: usize = 8;

/// Refuses a passphrase that is tried in no time, and says so of one that is tried in little.
pub(super) fn strong_enough(passphrase: Zeroizing<String>) -> Result<Zeroizing<String>, Failure> {
    let length = passphrase.chars().count();
    if length == 0 {
        return Err(Failure::Empty("the passphrase"));
    }
    if length < SHORTEST {
        return Err(Failure::Weak(SHORTEST));
    }
    Ok(passphrase)
}

/// How hard a passphrase is to guess, in words.
pub(super) fn strength(passphrase: &str) -> &'static str {
    let distinct: std::collections::BTreeSet<char> = passphrase.chars().collect();
    match (passphrase.chars().count(), distinct.len()) {
        (..12, _) | (_, ..6) => {
            "weak: somebody with a copy of the vault may guess it; several random words are better"
        }
        (12..20, _) => "fair, if nobody else has thought of it",
        _ => "good, if nobody else has thought of it",
    }
}

/// Typed or piped bytes as text.
pub(super) fn text(bytes: &[u8]) -> Result<Zeroizing<String>, Failure> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => Err(authy::Error::from(authy::BadValue::NotText).into()),
    }
}

fn recovery_code() -> Result<RecoveryCode, Failure> {
    let typed = if io::stdin().is_terminal() {
        ask("Recovery code: ", "the recovery code", "give it on stdin")?
    } else {
        fd::read_line(0)?
    };
    Ok(RecoveryCode::parse(&text(&typed)?)?)
}
