//! `deskmate connect`: enters Deskmate into the configuration of the clients on this machine, and proves that it starts.

use std::io;
use std::path::{Path, PathBuf};

use cli::colour::Colours;
use cli::terminal;
use connect::{Action, Client, Entry, Plan, Proof, System, Where, deep_link, harmless, plan_connect, prove};
use files::{Folders, Home};
use serde::Serialize;

use crate::entry::{self, PROGRAM};
use crate::servers;

use super::error::Error;
use super::names::{APPS, SERVERS};
use super::questions::{Asking, painted};

/// Connect the AI apps on this machine to Deskmate
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate connect                        every app that is found, after asking
  deskmate connect claude-code --folder ~/Pictures --yes
  deskmate connect cursor --dry-run       show what would change
  deskmate connect zed --server recipes   only the cookbook
  deskmate connect --print vscode         the entry, to add it by hand

Apps: claude-desktop, claude-code, cursor, vscode, copilot, zed, windsurf,
codex, gemini, continue, goose, lm-studio. `deskmate disconnect` takes the entry out again.")]
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
    /// Variables in the entry that are not from us, by name: somebody else may have written the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_variables: Vec<String>,
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
    if args.apps.is_empty() {
        asking.found(&apps);
    }
    let servers = if args.server.is_empty() { asking.servers() } else { args.server.clone() };
    known(&servers)?;
    let entry = entry(args, &servers)?;
    let named =
        if args.folder.is_empty() { asking.folders(&here.home, &allowed_now()) } else { args.folder.clone() };
    let mut connecting = Connecting { here: &here, entry, args, asking, folders: real(&named)? };
    let mut outcomes = Vec::new();
    for client in apps {
        let outcome = connecting.connect(client);
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
    match (outcomes.iter().filter(|outcome| outcome.error.is_some()).count(), outcomes.len()) {
        (0, _) => Ok(()),
        (_, 1) => Err(Error::App),
        (failed, of) => Err(Error::Apps { failed, of }),
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
    let inside = || -> io::Result<(PathBuf, bool)> {
        let folder = std::env::current_dir()?;
        let file = folder.join(relative);
        // What is there of it, with links followed: a project that somebody else wrote may have some.
        let real = file.ancestors().find_map(|part| std::fs::canonicalize(part).ok());
        let stays =
            real.is_some_and(|real| std::fs::canonicalize(&folder).is_ok_and(|own| real.starts_with(own)));
        Ok((file, stays))
    };
    match inside().map_err(|error| error.to_string())? {
        (file, true) => Ok(file),
        (file, false) => Err(format!(
            "`{}` leads out of this folder; remove the link, or connect without `--project`",
            file.display()
        )),
    }
}

/// What is done to each app.
struct Connecting<'a> {
    here: &'a Where,
    entry: Entry,
    args: &'a Args,
    asking: Asking,
    /// Folders that agents may use, until they are in the list.
    folders: Vec<PathBuf>,
}

impl Connecting<'_> {
    fn connect(&mut self, client: &'static Client) -> Outcome {
        let mut outcome = Outcome::new(client.id);
        match self.try_to(client, &mut outcome) {
            Ok(Some(Written { proof, other_variables })) => {
                outcome.other_variables = other_variables;
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

    /// Nothing if nothing was to be done.
    fn try_to(&mut self, client: &Client, outcome: &mut Outcome) -> Result<Option<Written>, String> {
        let file = file_of(client, self.here, self.args.project)?;
        outcome.file.clone_from(&file);
        let plan = plan_connect(client, &file, &self.entry).map_err(|error| error.to_string())?;
        outcome.action = word(plan.action);
        outcome.diff = plan.diff();
        outcome.link = deep_link(client, &self.entry);
        if self.args.dry_run {
            return Ok(None);
        }
        if plan.action != Action::Nothing
            && !self.asking.agrees(&outcome.diff, &format!("Change {}?", client.name))
        {
            outcome.action = "declined";
            return Ok(None);
        }
        // Not before somebody agreed, and before the app has an entry that may open more.
        if !self.folders.is_empty() {
            allow(&self.folders).map_err(|error| error.to_string())?;
            self.folders.clear();
        }
        self.write(client, &plan).map(Some)
    }

    /// Writes, and starts what was written. If it does not start, the change is taken back.
    fn write(&self, client: &Client, plan: &Plan) -> Result<Written, String> {
        plan.apply().map_err(|error| error.to_string())?;
        let text = std::fs::read_to_string(&plan.path).map_err(|error| error.to_string())?;
        let name = &self.entry.name;
        let found = connect::look(&text, client.dialect, name).map_err(|error| error.to_string())?;
        let found = found.ok_or("the entry is gone again; is the app running?")?;
        let is_ours = |name: &String| self.entry.variables.iter().any(|(ours, _)| ours == name);
        let names = found.variables.iter().map(|(name, _)| name);
        let other_variables = names.filter(|name| !is_ours(name)).cloned().collect();
        let written = Entry {
            name: name.clone(),
            command: found.command,
            arguments: found.arguments,
            variables: found.variables,
        };
        let proof = prove(&written, client.era, &self.here.home).map_err(|error| match plan.revert() {
            Ok(()) => format!("{error}; the file is what it was before"),
            Err(undoing) => format!("{error}; and the change could not be taken back: {undoing}"),
        })?;
        Ok(Written { proof, other_variables })
    }
}

/// An entry that was written and starts.
struct Written {
    proof: Proof,
    other_variables: Vec<String>,
}

/// The folders, as they are on the disk.
fn real(named: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let real = |folder: &PathBuf| {
        std::fs::canonicalize(folder)
            .and_then(|real| if real.is_dir() { Ok(real) } else { Err(io::ErrorKind::NotADirectory.into()) })
            .map_err(|source| Error::Folder { path: folder.clone(), source })
    };
    named.iter().map(real).collect()
}

/// Adds to the list that every server reads.
pub(super) fn add_folders(named: &[PathBuf]) -> Result<(), Error> {
    allow(&real(named)?)
}

/// The folders of an agent that an app starts, in words.
fn allowed_now() -> String {
    let list = Home::from_environment(|name| std::env::var_os(name)).map(|home| Folders::of(&home).read());
    match list {
        Ok(Ok(None)) => "all of your home folder".to_owned(),
        Ok(Ok(Some(folders))) if !folders.is_empty() => {
            folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
        }
        Ok(Ok(Some(_)) | Err(_)) | Err(_) => "none".to_owned(),
    }
}

fn allow(folders: &[PathBuf]) -> Result<(), Error> {
    let home = Home::from_environment(|name| std::env::var_os(name)).map_err(Error::Home)?;
    Folders::of(&home).add(folders).map_err(Error::Folders)
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
            other_variables: Vec::new(),
            restart: None,
            link: None,
            error: None,
        }
    }

    /// Which file it is about.
    pub(super) fn is_about(&mut self, file: &Path) {
        file.clone_into(&mut self.file);
    }

    /// What was planned, for an entry that goes.
    pub(super) fn planned(&mut self, plan: &Plan) {
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

/// For a person. What comes from a file that somebody else may have written does nothing to the terminal.
pub(super) fn shown(client: &Client, outcome: &Outcome, dry_run: bool) -> String {
    let text = harmless(&told(client, outcome, dry_run));
    if dry_run { painted(&text, Colours::of_stdout()) } else { text }
}

fn told(client: &Client, outcome: &Outcome, dry_run: bool) -> String {
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
            let variables = match outcome.other_variables.as_slice() {
                [] => String::new(),
                names => format!("\n  The entry sets variables that were there before: {}", names.join(", ")),
            };
            format!(
                "{name}: connected. It starts, and offers {tools} tools (MCP {revision}).\n  File: {file}{backup}{variables}\n  \
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
