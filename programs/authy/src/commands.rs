//! `authy`: the vault's command line. The vault is the library `authy`; here are words, prompts and printing.

#[cfg(feature = "tui")]
mod admin;
mod agent;
mod approve;
mod audit;
mod backup;
mod clipboard;
mod desk;
mod doctor;
mod edit;
mod environment;
mod failure;
mod fd;
mod generate;
mod get;
mod grant;
mod hidden;
mod history;
mod import;
mod init;
mod keychain;
mod lifetime;
mod list;
mod policy;
mod reference;
mod rekey;
mod remove;
mod resolve;
mod run;
mod serve;
mod set;
mod setup_agent;
mod store;
mod table;
mod trash;
mod trust;
mod upgrade;
mod value;
mod variables;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use desk::{Desk, Global};
use failure::Failure;

#[derive(Parser)]
#[command(
    name = "authy",
    version,
    about = "Secrets an agent can use and need not see.",
    max_term_width = 100,
    after_help = "Examples:
  authy init                                     a vault, opened by a passphrase
  authy store stripe-key                         asks for the value; or pipe it in
  authy policy create shop --allow 'stripe-*'    which secrets
  authy grant create --policy shop --label bot   a token for an agent: use, not see
  authy run --scope shop --uppercase -- ./deploy  a command with secrets in its environment
  authy serve --mcp                              what an MCP client starts

Environment:
  AUTHY_HOME             where the vault is
  AUTHY_TOKEN            a grant's token; wins over those below
  AUTHY_TOKEN_FILE       a file with one, as `authy setup-agent` writes it
  AUTHY_KEYFILE          the owner's keyfile
  AUTHY_PASSPHRASE       the owner's passphrase; better typed, or by --passphrase-fd
  AUTHY_NON_INTERACTIVE  1: never ask at the terminal

Exit codes: 0 it worked, 1 it did not, 2 the key or the command line is wrong, 3 not found,
4 not allowed, 5 there already, 6 the token is invalid or has ended, 7 there is no vault yet."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Args),
    Store(store::Args),
    Get(get::Args),
    Read(reference::Args),
    Cp(clipboard::Args),
    #[command(hide = true)]
    ClearClipboard(clipboard::ClearArgs),
    Edit(edit::Args),
    #[command(visible_alias = "ls")]
    List(list::Args),
    #[command(visible_alias = "rm")]
    Remove(remove::Args),
    Generate(generate::Args),
    Rotate(store::RotateArgs),
    Set(set::Args),
    History(history::Args),
    Rollback(history::RollbackArgs),
    /// Say which secrets belong together
    #[command(
        subcommand,
        after_help = "Examples:
  authy policy create shop --allow 'stripe-*' 'shop-*' --deny '*-live'
  authy policy test --scope shop stripe-key    whether it covers that name
  authy policy list"
    )]
    Policy(policy::Command),
    /// Give somebody else a part of the vault, by a token
    #[command(
        subcommand,
        alias = "session",
        after_help = "Examples:
  authy grant create --policy shop --label bot    a token that may use and not see
  authy grant list
  authy grant revoke ID                           the token opens nothing any more"
    )]
    Grant(grant::Command),
    SetupAgent(setup_agent::Args),
    Agent(agent::Args),
    Run(run::Args),
    Env(environment::EnvArgs),
    Resolve(resolve::Args),
    Import(import::Args),
    Export(environment::ExportArgs),
    Backup(backup::Args),
    Restore(backup::RestoreArgs),
    Trash(trash::Args),
    /// See who did what, and whether the log is whole
    #[command(
        subcommand,
        after_help = "Examples:
  authy audit show -n 20
  authy audit verify
  authy audit export > log.json"
    )]
    Audit(audit::Command),
    Rekey(rekey::Args),
    Approve(approve::Args),
    Deny(approve::DenyArgs),
    Doctor(doctor::Args),
    Trust(trust::Args),
    Upgrade(upgrade::Args),
    Serve(serve::Args),
    Completions(cli::manual::Completions),
    Man(cli::manual::Man),
    /// Manage the vault in a terminal UI
    #[cfg(feature = "tui")]
    Admin(admin::Args),
}

/// Does what the arguments say; the first one is the name of the program.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    authy::harden_process();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => return cli::exit::without_command(&answer),
    };
    let output = cli.global.output();
    match obey(cli) {
        Ok(code) => code,
        Err(failure) => failure.report(output),
    }
}

fn obey(Cli { global, command }: Cli) -> Result<ExitCode, Failure> {
    let command = match command {
        Command::Completions(args) => {
            args.print(Cli::command())?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Man(args) => {
            args.print(Cli::command())?;
            return Ok(ExitCode::SUCCESS);
        }
        other => other,
    };
    let desk = Desk::new(&global)?;
    match command {
        Command::Init(args) => init::run(&desk, args),
        Command::Store(args) => store::run(&desk, args),
        Command::Get(args) => get::run(&desk, &args),
        Command::Read(args) => reference::run(&desk, &args),
        Command::Cp(args) => clipboard::run(&desk, &args),
        Command::ClearClipboard(args) => clipboard::clear(&args),
        Command::Edit(args) => edit::run(&desk, &args),
        Command::List(args) => list::run(&desk, &args),
        Command::Remove(args) => remove::run(&desk, &args),
        Command::Rotate(args) => store::rotate(&desk, &args),
        Command::Generate(args) => generate::run(&desk, args),
        Command::Agent(args) => agent::run(&desk, &args),
        Command::SetupAgent(args) => setup_agent::run(&desk, &args),
        Command::Set(args) => set::run(&desk, args),
        Command::History(args) => history::run(&desk, &args),
        Command::Rollback(args) => history::rollback(&desk, &args),
        Command::Policy(command) => policy::run(&desk, command),
        Command::Grant(command) => grant::run(&desk, command),
        Command::Run(args) => return run::run(&desk, &args),
        Command::Env(args) => environment::env(&desk, &args),
        Command::Resolve(args) => resolve::run(&desk, &args),
        Command::Import(args) => import::run(&desk, &args),
        Command::Export(args) => environment::export(&desk, &args),
        Command::Backup(args) => backup::run(&desk, &args),
        Command::Restore(args) => backup::restore(&desk, &args),
        Command::Trash(args) => trash::run(&desk, &args),
        Command::Audit(command) => audit::run(&desk, &command),
        Command::Rekey(args) => rekey::run(&desk, args),
        Command::Approve(args) => approve::run(&desk, &args),
        Command::Deny(args) => approve::deny(&desk, &args),
        Command::Doctor(args) => doctor::run(&desk, &args),
        Command::Trust(args) => trust::run(&desk, &args),
        Command::Upgrade(args) => upgrade::run(&desk, &args),
        Command::Serve(args) => return serve::run(&desk, &args),
        Command::Completions(_) | Command::Man(_) => Ok(()),
        #[cfg(feature = "tui")]
        Command::Admin(args) => admin::run(&desk, &args),
    }?;
    Ok(ExitCode::SUCCESS)
}
