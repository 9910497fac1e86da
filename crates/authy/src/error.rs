//! What can go wrong.

use std::io;
use std::path::PathBuf;

use crate::approval::ApprovalId;
use crate::capability::Capability;
use crate::name::{BadName, GrantId, PolicyName, SecretName};
use crate::policy::BadPattern;
use crate::time::Timestamp;
use crate::value::BadValue;
use crate::variables::BadVariable;

/// What a vault or a session refuses or cannot do. No message has a value or a key in it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no vault in the folder.
    #[error("Vault not initialized. Run `authy init` first.")]
    NotInitialized,
    /// There is one already.
    #[error("there is a vault at `{}` already; unlock it, or choose another folder with `AUTHY_HOME`", .0.display())]
    AlreadyInitialized(PathBuf),
    /// Nothing says how to unlock.
    #[error("No credentials configured. Set AUTHY_KEYFILE or AUTHY_PASSPHRASE.")]
    NoCredentials,
    /// No secret of this name.
    #[error("Secret not found: {0}")]
    NotFound(SecretName),
    /// No secret of this name was removed.
    #[error("`{0}` is not in the trash; `authy trash` lists what is")]
    NotInTrash(SecretName),
    /// A secret of this name is there.
    #[error("Secret already exists: {0} (use --force to overwrite)")]
    AlreadyExists(SecretName),
    /// No such version is kept.
    #[error("Version {version} of `{name}` is not kept; `authy history {name}` lists those that are")]
    NoSuchVersion {
        /// Which secret.
        name: SecretName,
        /// Which version.
        version: u32,
    },
    /// No policy of this name.
    #[error("Policy not found: {0}")]
    PolicyNotFound(PolicyName),
    /// A policy of this name is there.
    #[error("Policy already exists: {0}; change it with `authy policy update`")]
    PolicyExists(PolicyName),
    /// The policy is what grants stand on.
    #[error("Policy `{policy}` is used by {grants} grants; revoke them first")]
    PolicyInUse {
        /// Which one.
        policy: PolicyName,
        /// How many.
        grants: usize,
    },
    /// No such grant.
    #[error("there is no grant {0}; `authy grant list` shows those there are")]
    GrantNotFound(GrantId),
    /// The name is outside the grant.
    #[error(
        "Access denied: `{0}` is outside the scope of this grant; ask the owner of the vault for a wider one"
    )]
    OutsideScope(SecretName),
    /// It was stored by somebody else, and the owner has not handed it on.
    #[error(
        "`{0}` was stored by somebody else and is not shared with this grant yet; the owner of the vault shares it by unlocking it once"
    )]
    NotShared(SecretName),
    /// The policy is not the grant's own.
    #[error("Access denied: this grant knows its own policy only, which is `{own}`")]
    ForeignPolicy {
        /// What it knows.
        own: PolicyName,
    },
    /// The session may use but not see.
    #[error(
        "Run-only mode: this session may use `{0}` but not see it; use `run_with_secrets` or `http_request` instead"
    )]
    RunOnly(SecretName),
    /// The secret is not shown to anybody.
    #[error(
        "Run-only mode: `{0}` is never revealed; use `run_with_secrets` or `http_request` instead, or let its owner \
         change that with `authy set {0} --reveal`"
    )]
    NeverRevealed(SecretName),
    /// The grant does not go so far.
    #[error(
        "Access denied: this grant lacks the capability `{0}`; ask the owner of the vault for one that has it"
    )]
    Lacks(Capability),
    /// A person has to say yes first.
    #[error(
        "{} needs a person's yes each time; approve it with `authy approve {id}`, then try again",
        quoted(names)
    )]
    NeedsApproval {
        /// Which secrets.
        names: Vec<SecretName>,
        /// What to approve.
        id: ApprovalId,
    },
    /// A person said no.
    #[error("the use of {} was denied by the owner of the vault", quoted(.0))]
    Denied(Vec<SecretName>),
    /// Somebody has put another request in its place.
    #[error(
        "approval {0} is not what it was when it was shown: somebody changed it; read it again with `authy approve`"
    )]
    ApprovalChanged(ApprovalId),
    /// Nothing like it is waiting.
    #[error("there is no approval {0} waiting; it may have expired")]
    ApprovalNotFound(ApprovalId),
    /// Not a token of ours.
    #[error(
        "Invalid token: {0}; use the text that `authy grant create` printed, which starts with `authy_v2.`"
    )]
    InvalidToken(&'static str),
    /// The grant ended by itself.
    #[error("Token expired at {0}; ask the owner of the vault for a new one")]
    TokenExpired(Timestamp),
    /// The grant's uses are spent.
    #[error("Token used up after {0} uses; ask the owner of the vault for a new one")]
    TokenUsedUp(u64),
    /// The grant was taken back.
    #[error("Token revoked; ask the owner of the vault for a new one")]
    TokenRevoked,
    /// The credential does not open the vault.
    #[error("Decryption error: {0}")]
    WrongCredential(WrongCredential),
    /// The vault is not the one it should be.
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
    /// The file is of an earlier program.
    #[error(
        "the vault has the format of an earlier `authy`, which is not trusted any more; run `authy upgrade` once. If you have \
         done that before, somebody put an old file in its place: restore a backup"
    )]
    OldFormat,
    /// The file is of today.
    #[error("the vault has the format of today already; there is nothing to upgrade")]
    AlreadyUpgraded,
    /// A keyfile that cannot be used.
    #[error(transparent)]
    Keyfile(#[from] KeyfileError),
    /// The slot is needed or is not there.
    #[error(transparent)]
    Slot(#[from] SlotError),
    /// Stored bytes are not what was stored.
    #[error(
        "Decryption error: {what} is damaged: {reason}; `authy remove --damaged` keeps what is whole, and `authy restore` puts a \
         backup in its place"
    )]
    Damaged {
        /// Which part of the vault.
        what: String,
        /// What shows it.
        reason: &'static str,
    },
    /// Secrets cannot be listed, because some of them are not what they should be.
    #[error(
        "{damaged} secrets of the vault are damaged and {missing} are missing; others can still be read by name; \
         `authy export --salvage` saves what opens, and `authy remove --damaged` takes out the rest"
    )]
    DamagedRecords {
        /// How many do not open.
        damaged: usize,
        /// How many are gone.
        missing: u64,
    },
    /// The operation has to be done again in a transaction that survives the loss of power; nobody sees this.
    #[doc(hidden)]
    #[error("not durable")]
    NotDurable,
    /// The audit log cannot be written to.
    #[error(
        "the audit log is damaged: {0}; what cannot be logged is not done; the owner of the vault begins it anew with `authy audit mend`"
    )]
    DamagedLog(&'static str),
    /// The file is of a later program.
    #[error("the vault has format {found}, and this program reads up to {known}; use a newer `authy`")]
    NewerFormat {
        /// What it has.
        found: i64,
        /// What we know.
        known: i64,
    },
    /// Not a vault.
    #[error("`{}` is not a vault of authy; move it away or choose another folder with `AUTHY_HOME`", .0.display())]
    NotAVault(PathBuf),
    /// The database cannot be read or written.
    #[error("cannot use `{}`: {source}; {remedy}", path.display())]
    Storage {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
        /// What may help.
        remedy: &'static str,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] files::FolderError),
    /// There is no folder.
    #[error(transparent)]
    Home(#[from] files::HomeError),
    /// Something else of the operating system.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The operating system gives no randomness.
    #[error("the operating system gives no random numbers; nothing was stored")]
    NoRandomness,
    /// A name that is none.
    #[error(transparent)]
    Name(#[from] BadName),
    /// A value that is none.
    #[error(transparent)]
    Value(#[from] BadValue),
    /// A name that is no variable's.
    #[error(transparent)]
    Variable(#[from] BadVariable),
    /// A pattern that is none.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// There is too much of something.
    #[error("{0}")]
    TooMuch(&'static str),
}

/// Why a vault is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    /// This machine has no anchor of it.
    #[error(
        "this machine does not know the vault: there is no anchor at `{}`; if you moved or copied the vault here, say so \
         with `authy trust`", .0.display()
    )]
    NoAnchor(PathBuf),
    /// The anchor is none.
    #[error("the anchor at `{}` was changed; if the vault is the right one, say so with `authy trust`", .0.display())]
    BadAnchor(PathBuf),
    /// Others could have put it there.
    #[error(
        "others can change `{}`, which says what this machine has last seen of the vault; make it yours alone (`chmod go-w`, \
         `chown`), or name a folder of your own in `AUTHY_ANCHOR`", .0.display()
    )]
    OpenAnchor(PathBuf),
    /// Another vault is in its place.
    #[error(
        "another vault is in the place of the one that this machine knows (anchor `{}`); put the right one back, or \
         say that this one is meant with `authy trust`", .0.display()
    )]
    OtherVault(PathBuf),
    /// An older copy was put back.
    #[error(
        "the vault was put back to an older state: it has version {found}, and this machine has seen {seen}; put the \
         newer file back, or accept this one with `authy trust`"
    )]
    Behind {
        /// Its version.
        found: u64,
        /// What was seen.
        seen: u64,
    },
    /// It is another continuation of a state that was seen.
    #[error(
        "version {version} of the vault does not continue what this machine has seen: two copies of it were changed; put \
         the right one here, or accept this one with `authy trust`"
    )]
    Forked {
        /// Its version.
        version: u64,
    },
    /// Somebody with a retired identity made it.
    #[error(
        "the vault is signed by an identity that this machine does not know as the owner's; put the right file back, or \
         accept this one with `authy trust`"
    )]
    Rival,
    /// An old format was put in its place.
    #[error(
        "a vault of the earlier format is in the place of the one that this machine knows; put the right one back"
    )]
    Downgrade,
    /// The head does not verify.
    #[error(
        "the head of the vault is not signed by its owner: the file was changed; restore a backup with `authy restore`"
    )]
    BadHead,
    /// It does not authenticate itself to the credential.
    #[error(
        "the vault does not prove that this credential was made for it: it was forged, or an old part was put back; \
         restore a backup with `authy restore`"
    )]
    Counterfeit,
    /// A writer's entries were cut off.
    #[error(
        "entries of the log were cut off or a count was put back; nothing more is done with this credential until \
         the owner of the vault looks at `authy audit verify` and runs `authy audit mend`, which makes no count good"
    )]
    LogCut,
}

/// Which credential did not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WrongCredential {
    /// The passphrase opens no slot.
    #[error("the passphrase does not open this vault")]
    Passphrase,
    /// The keyfile opens no slot.
    #[error("no matching keys found; the keyfile belongs to another vault")]
    Keyfile,
    /// The recovery code opens no slot.
    #[error("the recovery code does not open this vault")]
    Recovery,
}

/// Why a keyfile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyfileError {
    /// Others can read it.
    #[error("`{}` can be read by others ({found}); {remedy}", path.display())]
    Loose {
        /// The file.
        path: PathBuf,
        /// By what that is known.
        found: String,
        /// What can be done.
        remedy: &'static str,
    },
    /// It belongs to somebody else.
    #[error("`{}` belongs to user {owner}; use a file of your own", path.display())]
    ForeignOwner {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        owner: String,
    },
    /// It cannot be read.
    #[error("cannot read keyfile `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is there and would be lost.
    #[error("`{}` is there already; a keyfile is never overwritten", .0.display())]
    Exists(PathBuf),
    /// It has no identity in it.
    #[error("keyfile `{}` has no age identity (a line `AGE-SECRET-KEY-1…`)", .0.display())]
    NoIdentity(PathBuf),
}

/// What cannot be done to key slots.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlotError {
    /// There is no such slot.
    #[error("there is no key slot {0}; `authy rekey --list` shows those there are")]
    NotFound(i64),
    /// It is the only one.
    #[error("key slot {0} is the only one left; add another before removing it")]
    Last(i64),
    /// There would be none.
    #[error("a vault needs at least one key slot; give a passphrase or a keyfile")]
    None,
    /// There are too many.
    #[error("a vault has at most 16 key slots; remove one first")]
    TooMany,
    /// There are too many that are slow to try.
    #[error("a vault has at most 4 passphrases; remove one first")]
    TooManyPassphrases,
}

/// The result of an operation on a vault.
pub type Result<T> = std::result::Result<T, Error>;

/// Names as they stand in a sentence.
fn quoted(names: &[SecretName]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
