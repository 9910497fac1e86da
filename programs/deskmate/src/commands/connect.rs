//! `deskmate connect`: enters Deskmate into the configuration of the clients on this machine, and proves that it starts.

use std::io;
use std::path::{Path, PathBuf};

use cli::terminal;
use connect::{Action, Client, Entry, Plan, Proof, System, Where, deep_link, plan_connect, prove};
use files::{Folders, Home};
use serde::Serialize;

use crate::entry::{self, PROGRAM};
use crate::servers;

use super::error::Error;
use super::names::{APPS, SERVERS};
use super::questions::Asking;

/// Connect the AI apps on this machine to Deskmate
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate connect                                every app that is found, after asking
  deskmate connect claude-code --folder ~/Pictures --yes
  deskmate connect cursor --dry-run               show what would change
  deskmate connect zed --server recipes           only the cookbook
  deskmate connect --print vscode                 the entry, to add it by hand

Apps: claude-desktop, claude-code, cursor, vscode, copilot, zed, windsurf, codex, gemini, continue,
goose, lm-studio. `deskmate disconnect` takes the entry out again.")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
pub(super) struct Args {
    /// Apps, by name; all that are found when none is named
    #[arg(value_name = "APP", value_delimiter = ',', value_parser = APPS, hide_possible_values = true)]
    apps: Vec<String>,
    /// A folder whose files agents may open; may be given several times
    #[arg(long, value_name = "DIR")]
    folder: Vec<PathBuf>,
    /// Offer only these servers: screen, photos, secrets, vision, recipes; asked at a terminal otherwise
    #[arg(long, value_name = "SERVER", value_delimiter = ',', value_parser = SERVERS, hide_possible_values = true)]
    server: Vec<String>,
    /// Offer only tools that change nothing
    #[arg(long)]
    read_only: bool,
    /// Offer all tools, not only the core ones of each server
    #[arg(long)]
    all: bool,
    /// What the app calls the entry
    #[arg(long, default_value = PROGRAM, value_parser = entry::name)]
    name: String,
    /// Write the project's file in this folder instead of the person's
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the entry instead of writing it
    #[arg(long)]
    print: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// What became of one app.
#[derive(Serialize)]
pub(super) struct Outcome {
    app: &'static str,
    file: PathBuf,
    action: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restart: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let here = surroundings()?;
    known(&args.server)?;
    if args.print {
        return print(&choose_to_print(&args.apps, &here)?, &entry(args, &args.server)?, args.json);
    }
    let apps = choose(&args.apps, &here)?;
    let asking = Asking::of(args.yes || args.dry_run, args.json)?;
    let servers = if args.server.is_empty() { asking.servers() } else { args.server.clone() };
    known(&servers)?;
    let entry = entry(args, &servers)?;
    if !args.dry_run {
        allow(&args.folder, asking)?;
    }
    let mut outcomes = Vec::new();
    for client in apps {
        let outcome = connect_one(client, &here, &entry, args, asking);
        if !args.json {
            terminal::say(&shown(client, &outcome, args.dry_run))?;
        }
        outcomes.push(outcome);
    }
    finish(&outcomes, args.json)
}

/// The exit code says whether every app went well.
pub(super) fn finish(outcomes: &[Outcome], json: bool) -> Result<(), Error> {
    if json {
        terminal::say(&serde_json::to_string_pretty(outcomes).map_err(io::Error::from)?)?;
    }
    match outcomes.iter().filter(|outcome| outcome.error.is_some()).count() {
        0 => Ok(()),
        failed => Err(Error::Apps { failed, of: outcomes.len() }),
    }
}

pub(super) fn surroundings() -> Result<Where, Error> {
    Where::from_environment(System::this(), |name| std::env::var_os(name)).ok_or(Error::NoHome)
}

/// Whether there are servers of these names.
fn known(servers: &[String]) -> Result<(), Error> {
    let selection = servers::Selection { names: servers.to_vec(), ..servers::Selection::default() };
    Ok(servers::choose(&selection).map(|_| ())?)
}

/// The same to print; where none is found, the form that most apps read.
fn choose_to_print(names: &[String], here: &Where) -> Result<Vec<&'static Client>, Error> {
    match choose(names, here) {
        Err(Error::NoApp) => Ok(connect::ALL.iter().take(1).collect()),
        chosen => chosen,
    }
}

/// The named apps, or those that are installed.
pub(super) fn choose(names: &[String], here: &Where) -> Result<Vec<&'static Client>, Error> {
    if names.is_empty() {
        let path: Vec<PathBuf> =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let found: Vec<_> = connect::ALL.iter().filter(|client| client.is_installed(here, &path)).collect();
        return if found.is_empty() { Err(Error::NoApp) } else { Ok(found) };
    }
    let find = |name: &String| connect::find(name).ok_or_else(|| Error::UnknownApp { name: name.clone() });
    let mut chosen: Vec<&'static Client> = Vec::new();
    for name in names {
        let client = find(name)?;
        if !chosen.iter().any(|known| known.id == client.id) {
            chosen.push(client);
        }
    }
    Ok(chosen)
}

/// How an app starts this program.
fn entry(args: &Args, servers: &[String]) -> Result<Entry, Error> {
    let mut arguments = vec!["stdio".to_owned()];
    arguments.extend(servers.iter().cloned());
    arguments.extend(args.read_only.then(|| "--read-only".to_owned()));
    arguments.extend(args.all.then(|| "--all".to_owned()));
    entry::of_this_program(&args.name, arguments).map_err(Error::Program)
}

/// The file of an app: the person's, or the project's in this folder.
pub(super) fn file_of(client: &Client, here: &Where, project: bool) -> Result<PathBuf, String> {
    if !project {
        return client.file(here).ok_or_else(|| "its file cannot be found".to_owned());
    }
    let relative = client.project.ok_or_else(|| format!("{} has no file for a project", client.name))?;
    std::env::current_dir().map(|folder| folder.join(relative)).map_err(|error| error.to_string())
}

fn connect_one(client: &'static Client, here: &Where, entry: &Entry, args: &Args, asking: Asking) -> Outcome {
    let mut outcome = Outcome::new(client.id);
    let done = file_of(client, here, args.project).and_then(|file| {
        outcome.file.clone_from(&file);
        let plan = plan_connect(client, &file, entry).map_err(|error| error.to_string())?;
        outcome.action = word(plan.action);
        outcome.diff = plan.diff();
        outcome.link = deep_link(client, entry);
        if args.dry_run {
            return Ok(None);
        }
        if plan.action != Action::Nothing
            && !asking.agrees(&outcome.diff, &format!("Change {}?", client.name))
        {
            outcome.action = "declined";
            return Ok(None);
        }
        write(client, &plan, here, &args.name).map(Some)
    });
    match done {
        Ok(Some(proof)) => {
            outcome.tools = Some(proof.tools);
            outcome.revision = Some(proof.revision);
            outcome.restart = Some(client.restart);
            let backup = std::fs::canonicalize(&outcome.file).map(|file| connect::backup_of(&file)).ok();
            outcome.backup = backup.filter(|backup| backup.exists());
        }
        Ok(None) => {}
        Err(error) => outcome.error = Some(error),
    }
    outcome
}

/// Writes, and starts what was written. If it does not start, the change is taken back.
fn write(client: &Client, plan: &Plan, here: &Where, name: &str) -> Result<Proof, String> {
    plan.apply().map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(&plan.path).map_err(|error| error.to_string())?;
    let found = connect::look(&text, client.dialect, name).map_err(|error| error.to_string())?;
    let found = found.ok_or("the entry is gone again; is the app running?")?;
    let written = Entry {
        name: name.to_owned(),
        command: found.command,
        arguments: found.arguments,
        variables: found.variables,
    };
    prove(&written, client.era, &here.home).map_err(|error| match plan.revert() {
        Ok(()) => format!("{error}; the file is what it was before"),
        Err(undoing) => format!("{error}; and the change could not be taken back: {undoing}"),
    })
}

/// Lets agents use folders, in addition to those that are allowed already.
fn allow(folders: &[PathBuf], asking: Asking) -> Result<(), Error> {
    let named = if folders.is_empty() { asking.folders()? } else { folders.to_vec() };
    if named.is_empty() { Ok(()) } else { add_folders(&named) }
}

/// Adds to the list that every server reads.
pub(super) fn add_folders(named: &[PathBuf]) -> Result<(), Error> {
    let home = Home::from_environment(|name| std::env::var_os(name)).map_err(Error::Home)?;
    let list = Folders::of(&home);
    let unreadable = |source| Error::Folder { path: list.path(), source };
    let mut all = list.read().map_err(unreadable)?.unwrap_or_default();
    for folder in named {
        let real = std::fs::canonicalize(folder)
            .and_then(|real| if real.is_dir() { Ok(real) } else { Err(io::ErrorKind::NotADirectory.into()) })
            .map_err(|source| Error::Folder { path: folder.clone(), source })?;
        if !all.contains(&real) {
            all.push(real);
        }
    }
    list.write(&all).map_err(Error::Folders)
}

fn print(apps: &[&'static Client], entry: &Entry, json: bool) -> Result<(), Error> {
    let mut outcomes = Vec::new();
    for client in apps {
        let text = connect::printed(client, entry);
        if json {
            let link = deep_link(client, entry);
            outcomes.push(serde_json::json!({ "app": client.id, "entry": text, "link": link }));
            continue;
        }
        let link = deep_link(client, entry).map(|link| format!("\nLink: {link}\n")).unwrap_or_default();
        terminal::say(&format!("{}:\n\n{text}{link}", client.name))?;
    }
    if json {
        terminal::say(&serde_json::to_string_pretty(&outcomes).map_err(io::Error::from)?)?;
    }
    Ok(())
}

impl Outcome {
    pub(super) fn new(app: &'static str) -> Outcome {
        Outcome {
            app,
            file: PathBuf::new(),
            action: "nothing",
            diff: String::new(),
            backup: None,
            tools: None,
            revision: None,
            restart: None,
            link: None,
            error: None,
        }
    }

    /// What was planned, for an entry that goes.
    pub(super) fn planned(&mut self, file: &Path, plan: &Plan) {
        file.clone_into(&mut self.file);
        self.action = word(plan.action);
        self.diff = plan.diff();
    }

    pub(super) fn failed(&mut self, error: String) {
        self.error = Some(error);
    }

    pub(super) fn decline(&mut self) {
        self.action = "declined";
    }
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Add => "add",
        Action::Update => "update",
        Action::Nothing => "nothing",
        Action::Restore => "restore",
        Action::Remove => "remove",
        Action::Delete => "delete",
    }
}

/// For a person.
pub(super) fn shown(client: &Client, outcome: &Outcome, dry_run: bool) -> String {
    let name = client.name;
    if let Some(error) = &outcome.error {
        return format!("{name}: not done: {error}");
    }
    if dry_run {
        return match outcome.diff.as_str() {
            "" => format!("{name}: nothing would change"),
            diff => format!("{name}: this would change:\n{diff}"),
        };
    }
    let file = outcome.file.display();
    match (outcome.action, outcome.tools, &outcome.revision) {
        ("declined", _, _) => format!("{name}: left as it is"),
        (_, Some(tools), Some(revision)) => {
            let backup = outcome.backup.as_ref();
            let backup = backup.map(|path| format!("\n  Backup: {}", path.display())).unwrap_or_default();
            format!(
                "{name}: connected. It starts, and offers {tools} tools (MCP {revision}).\n  File: {file}{backup}\n  \
                 Now {}.\n  Then try asking: What can Deskmate do on this machine?",
                client.restart
            )
        }
        ("nothing", _, _) => format!("{name}: was not connected"),
        ("restore", _, _) => format!("{name}: disconnected. The file is as it was before: {file}"),
        ("delete", _, _) => {
            format!("{name}: disconnected. The file did not exist before and was removed: {file}")
        }
        _ => {
            format!("{name}: disconnected. The entry was removed; later changes were kept: {file}")
        }
    }
}
