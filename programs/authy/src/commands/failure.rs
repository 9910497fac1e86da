//! What can go wrong in a command of `authy`: the message, the code for programs, and the exit code.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use authy::import::ImportError;
use authy::variables::BadVariable;
use authy::{Broken, Capability, Error, PolicyName, SecretName, SlotError};
use cli::colour::{Colours, Tone};
use cli::terminal;
use serde::Serialize;

use super::desk::Output;
use super::table::plain;

#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Vault(#[from] Error),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Variable(#[from] BadVariable),
    #[error(
        "Access denied: scope `{scope}` does not cover `{name}`; `authy policy show {scope}` says what it covers"
    )]
    OutsideScope { scope: PolicyName, name: SecretName },
    #[error("the audit log is broken at entry {}: {}; entries before it are as they were written", .0.seq, .0.reason)]
    AuditBroken(Broken),
    #[error("{what} cannot be asked for: {reason}; {remedy}")]
    NotAsked { what: &'static str, reason: &'static str, remedy: &'static str },
    #[error("the two passphrases differ; nothing was changed")]
    Differ,
    #[error("{0} is empty; nothing was changed")]
    Empty(&'static str),
    #[error(
        "the passphrase has fewer than {0} characters and could be guessed; use a longer one, such as several random words"
    )]
    Weak(usize),
    #[error("interrupted; nothing was changed")]
    Interrupted,
    #[error("cannot read {what}: {source}")]
    Read { what: String, source: io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` is there already; choose another name, or remove it first", .0.display())]
    FileExists(PathBuf),
    #[error("`{}` is not a text of UTF-8; placeholders are found in text only", .0.display())]
    NotText(PathBuf),
    #[error("cannot run `{command}`: {source}")]
    Run { command: String, source: io::Error },
    #[error("cannot run the command: {0}")]
    Child(#[from] authy::child::RunError),
    #[error(transparent)]
    Rule(#[from] authy::child::Unconfined),
    #[error("`{program}` cannot be allowed: {reason}")]
    Program { program: String, reason: authy::child::ProgramError },
    #[error(transparent)]
    Generate(authy::generate::GenerateError),
    #[error("`{host}` is no host: {reason}")]
    BadHost { host: String, reason: authy::request::BadHostRule },
    #[error("`{rule}` is no rule: {reason}")]
    BadRule { rule: String, reason: authy::child::BadRule },
    #[error(
        "Run-only mode: no secret of this token is for `{0}`; the owner of the vault allows commands with `authy set NAME --command PATTERN`"
    )]
    NotForCommand(String),
    #[error("`{0}` is too short to be found in what the command prints; nothing was run")]
    TooShortToScrub(String),
    #[error(
        "the agent cannot be used: {0}; end it with `authy agent --stop`, or unlock the vault without it"
    )]
    Agent(String),
    #[error("{message}")]
    Refused { message: String, code: String, exit_code: u8 },
    #[error("nobody said yes at the agent's terminal")]
    NotConfirmed,
    #[error("authy serve requires --mcp")]
    ServeWithoutMcp,
    #[error("the connection on stdin and stdout broke: {0}")]
    Stdio(io::Error),
    #[error("cannot write to stdout: {0}")]
    Stdout(#[from] io::Error),
    #[error("{0} of the checks found a problem; see above")]
    Unwell(usize),
    #[cfg(feature = "keychain")]
    #[error("the keychain does not help: {0}; unlock it, or use a passphrase or keyfile")]
    Keychain(String),
    #[error("{0}")]
    Usage(&'static str),
}

/// What programs read on stderr.
#[derive(Serialize)]
struct Report<'a> {
    error: Details<'a>,
}

#[derive(Serialize)]
struct Details<'a> {
    code: &'a str,
    message: &'a str,
    exit_code: u8,
}

impl Failure {
    /// Says what went wrong on stderr, for people or for programs.
    pub(super) fn report(&self, output: Output) -> ExitCode {
        let (code, exit_code) = match self {
            Failure::Refused { code, exit_code, .. } => (code.as_str(), *exit_code),
            other => other.codes(),
        };
        let message = self.to_string();
        // It may name what is in a file of somebody else.
        let shown = || message.lines().map(plain).collect::<Vec<_>>().join("\n");
        terminal::complain(&match output {
            // The words that scripts around the first authy know.
            Output::Text if matches!(self, Failure::ServeWithoutMcp) => message,
            Output::Text => format!("{} {}", Colours::of_stderr().paint(Tone::Bad, "error:"), shown()),
            Output::Json => {
                let report = Report { error: Details { code, message: &message, exit_code } };
                serde_json::to_string(&report).unwrap_or_default()
            }
        });
        ExitCode::from(exit_code)
    }

    /// The code for programs, and the exit code.
    pub(super) fn codes(&self) -> (&'static str, u8) {
        match self {
            Failure::Vault(error) => vault_codes(error),
            Failure::OutsideScope { .. } => ("access_denied", 4),
            Failure::NotForCommand(_) | Failure::TooShortToScrub(_) => ("run_only", 4),
            Failure::NotConfirmed => ("access_denied", 4),
            Failure::Agent(_) | Failure::Refused { .. } => ("io_error", 1),
            Failure::Run { source, .. } | Failure::Child(authy::child::RunError::Start { source, .. }) => {
                ("io_error", cli::exit::of_missing_command(source))
            }
            Failure::Child(authy::child::RunError::Lost { .. }) => ("io_error", 1),
            Failure::Child(_) => ("access_denied", 4),
            Failure::AuditBroken(_) => ("audit_chain_broken", 1),
            Failure::NotAsked { .. } | Failure::Differ | Failure::Empty(_) | Failure::Weak(_) => {
                ("auth_failed", 2)
            }
            #[cfg(feature = "keychain")]
            Failure::Keychain(_) => ("auth_failed", 2),
            Failure::FileExists(_) => ("already_exists", 5),
            Failure::Import(ImportError::Age(_)) => ("decryption_error", 2),
            Failure::Import(ImportError::Format { .. } | ImportError::Dotenv(_)) => {
                ("serialization_error", 1)
            }
            Failure::Import(ImportError::Read { .. })
            | Failure::Read { .. }
            | Failure::Write { .. }
            | Failure::Stdio(_)
            | Failure::Stdout(_) => ("io_error", 1),
            Failure::Import(
                ImportError::TooLarge(_)
                | ImportError::Program(_)
                | ImportError::Name { .. }
                | ImportError::Clash { .. }
                | ImportError::Value { .. },
            )
            | Failure::Variable(_)
            | Failure::Program { .. }
            | Failure::BadRule { .. }
            | Failure::BadHost { .. }
            | Failure::Generate(_)
            | Failure::Rule(_)
            | Failure::Interrupted
            | Failure::NotText(_)
            | Failure::ServeWithoutMcp
            | Failure::Unwell(_) => ("error", 1),
            Failure::Usage(_) => ("error", cli::exit::USAGE),
        }
    }
}

fn vault_codes(error: &Error) -> (&'static str, u8) {
    match error {
        Error::NotInitialized => ("vault_not_initialized", 7),
        Error::TokenExpired(_) | Error::TokenUsedUp(_) => ("token_expired", 6),
        Error::TokenRevoked => ("token_revoked", 6),
        Error::InvalidToken(_) => ("invalid_token", 6),
        Error::AlreadyInitialized(_) | Error::AlreadyExists(_) | Error::PolicyExists(_) => {
            ("already_exists", 5)
        }
        Error::RunOnly(_) | Error::NeverRevealed(_) | Error::Lacks(Capability::Reveal) => ("run_only", 4),
        Error::Lacks(Capability::Store | Capability::Remove | Capability::Admin) => ("token_read_only", 4),
        Error::Lacks(Capability::List | Capability::Use | Capability::Scan)
        | Error::OutsideScope(_)
        | Error::NotShared(_)
        | Error::ForeignPolicy { .. }
        | Error::NeedsApproval { .. }
        | Error::Denied(_)
        | Error::ApprovalChanged(_) => ("access_denied", 4),
        Error::NotFound(_)
        | Error::NotInTrash(_)
        | Error::NoSuchVersion { .. }
        | Error::PolicyNotFound(_)
        | Error::GrantNotFound(_)
        | Error::ApprovalNotFound(_)
        | Error::Slot(SlotError::NotFound(_)) => ("not_found", 3),
        Error::NoCredentials => ("auth_failed", 2),
        Error::WrongCredential(_) | Error::Damaged { .. } | Error::DamagedRecords { .. } => {
            ("decryption_error", 2)
        }
        Error::Untrusted(_) => ("untrusted", 2),
        Error::DamagedLog(_) => ("audit_chain_broken", 1),
        Error::Keyfile(_) => ("invalid_keyfile", 2),
        Error::NoRandomness => ("encryption_error", 1),
        Error::NewerFormat { .. } | Error::OldFormat | Error::NotAVault(_) => ("serialization_error", 1),
        Error::Storage { .. } | Error::Folder(_) | Error::Home(_) | Error::Io { .. } => ("io_error", 1),
        Error::PolicyInUse { .. }
        | Error::Slot(
            SlotError::Last(_) | SlotError::None | SlotError::TooMany | SlotError::TooManyPassphrases,
        )
        | Error::AlreadyUpgraded
        | Error::NotDurable
        | Error::Name(_)
        | Error::Value(_)
        | Error::Variable(_)
        | Error::Pattern(_)
        | Error::TooMuch(_) => ("error", 1),
    }
}
