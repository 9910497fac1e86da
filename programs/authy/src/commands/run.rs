//! `authy run`: a command with secrets in its environment.

mod confined;
mod scrubbed;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

use authy::child;
use authy::scrub::Secret;
use authy::variables::BadVariable;
use authy::{Capability, PolicyName, SecretName, SecretValue, Session};

use super::desk::{self, Desk};
use super::failure::Failure;
use super::reference;
use super::variables::NamingArgs;
use crate::sys;

/// Run a command with the secrets of a scope in its environment
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy run --scope shop --uppercase -- ./deploy --fast    `stripe-key` is $STRIPE_KEY there
  authy run --secret stripe-key -- ./deploy                the same for one secret
  KEY=authy://stripe-key authy run -- ./deploy             the same, by a reference

The command gets PATH, HOME, TERM and the like besides the secrets, and nothing of what opens the
vault. Under a token that may use but not see, and where a secret is never shown, it gets those
secrets that `authy set NAME --command …` lets it have, and its output is scrubbed.")]
pub(super) struct Args {
    /// The policy that says which secrets. Under a token it is the token's own
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
    /// A secret for the command, in the variable of its own name in capitals; may be repeated
    #[arg(long = "secret", value_name = "NAME", conflicts_with = "scope")]
    secrets: Vec<SecretName>,
    #[command(flatten)]
    naming: NamingArgs,
    /// Give the command the other variables of this environment, too
    #[arg(long)]
    keep_env: bool,
    /// Replace values in what the command prints by their names, as far as they can be recognised
    #[arg(long)]
    scrub: bool,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What a command needs to find programs, files, the terminal and the language.
const KEPT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "COLORTERM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "PWD",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// A secret with its value, by its variable.
pub(super) type Values = BTreeMap<String, (SecretName, SecretValue)>;

pub(super) fn run(desk: &Desk, args: &Args) -> Result<ExitCode, Failure> {
    let session = desk.session()?;
    let references = reference::variables();
    let unsaid = args.scope.is_none() && args.secrets.is_empty();
    if unsaid && references.is_empty() && session.grant().is_none() {
        return Err(Failure::Usage(
            "say which secrets: `authy run --scope POLICY -- COMMAND`, `--secret NAME`, or variables such as \
             `DB_URL=authy://db-url`",
        ));
    }
    let (program, arguments) = args
        .command
        .split_first()
        .ok_or(Failure::Usage("say which command: `authy run --scope POLICY -- COMMAND`"))?;
    let mut variables = if unsaid && !references.is_empty() {
        BTreeMap::new()
    } else if args.secrets.is_empty() {
        args.naming.variables(&session, args.scope.as_ref())?
    } else {
        let named = |name: &SecretName| (child::Variable::usual_name(name.as_str()), name.clone());
        args.secrets.iter().map(named).collect()
    };
    variables.extend(references);
    // Who may not see values may not have them printed either: what is run then is run as an agent's commands are. So is what
    // somebody else agrees to: the variables and programs of the caller would make another command of the one they read.
    if !session.capabilities().has(Capability::Reveal) || is_kept_from_grants(&session, &variables)? {
        if args.keep_env {
            return Err(Failure::Usage(
                "`--keep-env` is for who may see values: variables change what programs do",
            ));
        }
        return confined::run(&session, &variables, &args.command);
    }
    let values = values(&session, variables, &args.command)?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    command.envs(std::env::vars_os().filter(|(name, _)| is_kept(&sys::variable_bytes(name), args.keep_env)));
    for (variable, (name, value)) in &values {
        let reason = || child::VariableError::NotText(variable.clone());
        let value = sys::value(value.as_bytes())
            .ok_or_else(|| BadVariable::Unfit { name: name.clone(), reason: reason() })?;
        command.env(variable, value);
    }
    // The vault is closed before the command starts.
    drop(session);
    if args.scrub {
        return scrubbed::run(command, &values);
    }
    // This process becomes the command: signals, the terminal and the exit code are its own.
    let failed = |source| Failure::Run { command: program.to_string_lossy().into_owned(), source };
    sys::run_instead(&mut command).map_err(failed)
}

fn values(
    session: &Session,
    variables: BTreeMap<String, SecretName>,
    command: &[OsString],
) -> Result<Values, Failure> {
    let purpose = purpose(command, variables.iter().map(|(variable, name)| (name, variable.as_str())));
    let mut values = Values::new();
    for (variable, name) in variables {
        let consent = desk::consent(session, &name, &format!("its use to {purpose}"))?;
        let value = session.use_value(&name, &purpose, consent)?;
        let secret = Secret { name: name.as_str(), value: value.as_bytes() };
        if let Err(reason) = child::Variable::chosen(&variable, secret) {
            return Err(BadVariable::Unfit { name, reason }.into());
        }
        values.insert(variable, (name, value));
    }
    Ok(values)
}

/// Whether a grant is to use secrets that are never shown, or want a person's yes each time.
fn is_kept_from_grants(session: &Session, variables: &BTreeMap<String, SecretName>) -> Result<bool, Failure> {
    if session.grant().is_none() {
        return Ok(false);
    }
    for name in variables.values() {
        let attributes = session.usable(name)?.attributes;
        if attributes.approve_each_use || attributes.never_reveal {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All of what is about to be done, so that no two commands read the same.
fn purpose<'a>(command: &[OsString], with: impl Iterator<Item = (&'a SecretName, &'a str)>) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    // What is no text is written by its bytes.
    let bytes = |word: &OsString| format!("bytes {}", word.as_encoded_bytes().escape_ascii());
    let word = |word: &OsString| word.to_str().map_or_else(|| bytes(word), quoted);
    let words: Vec<String> = command.iter().map(word).collect();
    let with =
        with.map(|(name, variable)| format!(" with {} in {}", quoted(name.as_str()), quoted(variable)));
    format!("run [{}]{}", words.join(", "), with.collect::<Vec<_>>().concat())
}

/// Whether the command gets this variable. What opens the vault is never passed on.
fn is_kept(name: &[u8], all: bool) -> bool {
    let listed = || {
        KEPT.iter().chain(sys::variables()).any(|kept| kept.as_bytes() == name) || name.starts_with(b"LC_")
    };
    !name.starts_with(b"AUTHY_") && (all || listed())
}
