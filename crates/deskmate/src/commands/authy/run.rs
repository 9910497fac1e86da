//! `authy run`: a command with secrets in its environment.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use authy::PolicyName;

use super::desk::Desk;
use super::failure::Failure;
use super::variables::NamingArgs;

/// Run a command with the secrets of a scope in its environment
#[derive(clap::Args)]
#[command(after_help = "Example:
  authy run --scope shop --uppercase -- ./deploy --fast    `stripe-key` is $STRIPE_KEY there

The command gets PATH, HOME, TERM and the like besides the secrets, and nothing of what opens the vault.")]
pub(super) struct Args {
    /// The policy that says which secrets. Under a token it is the token's own
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
    #[command(flatten)]
    naming: NamingArgs,
    /// Give the command the other variables of this environment, too
    #[arg(long)]
    keep_env: bool,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What a command needs to find programs, files, the terminal and the language.
const KEPT: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "LANG", "LANGUAGE", "TZ", "TMPDIR", "PWD",
    "SSL_CERT_FILE", "SSL_CERT_DIR",
];

pub(super) fn run(desk: &Desk, args: Args) -> Result<ExitCode, Failure> {
    let session = desk.session()?;
    if args.scope.is_none() && session.grant().is_none() {
        return Err(Failure::Usage("say which secrets: `authy run --scope POLICY -- COMMAND`"));
    }
    let (program, arguments) =
        args.command.split_first().ok_or(Failure::Usage("say which command: `authy run --scope POLICY -- COMMAND`"))?;
    let purpose = program.to_string_lossy().into_owned();
    let variables = args.naming.variables(&session, args.scope.as_ref())?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    command.envs(std::env::vars_os().filter(|(name, _)| is_kept(name.as_bytes(), args.keep_env)));
    for (variable, name) in variables {
        let consent = desk.consent(&session, &name, &format!("`{purpose}` to use it"))?;
        let value = session.use_value(&name, &purpose, consent)?;
        command.env(variable, std::ffi::OsStr::from_bytes(value.as_bytes()));
    }
    // The vault is closed before the command starts, and this process becomes the command: signals, the terminal and the
    // exit code are its own, and nothing of ours is left in memory.
    drop(session);
    Err(Failure::Run { command: purpose, source: command.exec() })
}

/// Whether the command gets this variable. What opens the vault is never passed on.
fn is_kept(name: &[u8], all: bool) -> bool {
    let listed = || KEPT.iter().any(|kept| kept.as_bytes() == name) || name.starts_with(b"LC_");
    !name.starts_with(b"AUTHY_") && (all || listed())
}
