//! `authy run`: a command with secrets in its environment.

mod scrubbed;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use authy::child::{self, Rule, Rules};
use authy::scrub::Secret;
use authy::variables::BadVariable;
use authy::{Capability, PolicyName, SecretName, SecretValue, Session};

use super::desk::{self, Desk};
use super::failure::Failure;
use super::variables::NamingArgs;

/// Run a command with the secrets of a scope in its environment
#[derive(clap::Args)]
#[command(after_help = "Example:
  authy run --scope shop --uppercase -- ./deploy --fast    `stripe-key` is $STRIPE_KEY there

The command gets PATH, HOME, TERM and the like besides the secrets, and nothing of what opens the vault. Under a token that
may use but not see, it gets those secrets that `authy set NAME --command …` lets it have, and its output is scrubbed.")]
pub(super) struct Args {
    /// The policy that says which secrets. Under a token it is the token's own
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
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
    if args.scope.is_none() && session.grant().is_none() {
        return Err(Failure::Usage("say which secrets: `authy run --scope POLICY -- COMMAND`"));
    }
    let (program, arguments) = args
        .command
        .split_first()
        .ok_or(Failure::Usage("say which command: `authy run --scope POLICY -- COMMAND`"))?;
    let mut variables = args.naming.variables(&session, args.scope.as_ref())?;
    // Who may not see values may not have them printed either: only the owner's commands get them, and print no value.
    let sees = session.capabilities().has(Capability::Reveal);
    if !sees {
        variables = allowed(&session, variables, &args.command)?;
    }
    let values = values(&session, variables, &program.to_string_lossy())?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    command.envs(std::env::vars_os().filter(|(name, _)| is_kept(name.as_bytes(), args.keep_env)));
    command.envs(values.iter().map(|(variable, (_, value))| (variable, OsStr::from_bytes(value.as_bytes()))));
    // The vault is closed before the command starts.
    drop(session);
    if args.scrub || !sees {
        return scrubbed::run(command, &values);
    }
    // This process becomes the command: signals, the terminal and the exit code are its own.
    Err(Failure::Run { command: program.to_string_lossy().into_owned(), source: command.exec() })
}

/// Those secrets that their owner lets this command have.
fn allowed(
    session: &Session,
    variables: BTreeMap<String, SecretName>,
    command: &[OsString],
) -> Result<BTreeMap<String, SecretName>, Failure> {
    let words: Option<Vec<String>> = command.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    let words =
        words.ok_or(Failure::Usage("the command is not UTF-8 text, and no rule allows such a one"))?;
    let (program, arguments) = words.split_first().ok_or(Failure::Usage("say which command"))?;
    let mut kept = BTreeMap::new();
    for (variable, name) in variables {
        let rules: Result<Vec<Rule>, _> =
            session.info(&name)?.attributes.commands.iter().map(|text| text.parse()).collect();
        if rules.is_ok_and(|rules| Rules::new(rules).check(program, arguments).is_ok()) {
            kept.insert(variable, name);
        }
    }
    if kept.is_empty() { Err(Failure::NotForCommand(program.clone())) } else { Ok(kept) }
}

fn values(
    session: &Session,
    variables: BTreeMap<String, SecretName>,
    program: &str,
) -> Result<Values, Failure> {
    let mut values = Values::new();
    for (variable, name) in variables {
        let consent = desk::consent(session, &name, &format!("`{program}` to use it"))?;
        let value = session.use_value(&name, &format!("run `{program}`"), consent)?;
        let secret = Secret { name: name.as_str(), value: value.as_bytes() };
        if let Err(reason) = child::Variable::new(&variable, secret, &[]) {
            return Err(BadVariable::Unfit { name, reason }.into());
        }
        values.insert(variable, (name, value));
    }
    Ok(values)
}

/// Whether the command gets this variable. What opens the vault is never passed on.
fn is_kept(name: &[u8], all: bool) -> bool {
    let listed = || KEPT.iter().any(|kept| kept.as_bytes() == name) || name.starts_with(b"LC_");
    !name.starts_with(b"AUTHY_") && (all || listed())
}
