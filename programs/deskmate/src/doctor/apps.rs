//! The AI apps on this machine: whether each has an entry for Deskmate, and whether that starts.

use std::path::{Path, PathBuf};
use std::thread;

use connect::{Client, Entry, System, Where, look as look_for, prove};

use super::check::Check;
use crate::entry::PROGRAM;

pub(super) fn look() -> Vec<Check> {
    let Some(here) = Where::from_environment(System::this(), super::set) else {
        return vec![Check::problem("apps", "`HOME` is not set to an absolute path", "set it")];
    };
    let path: Vec<PathBuf> =
        super::set("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let installed: Vec<&Client> =
        connect::ALL.iter().filter(|client| client.is_installed(&here, &path)).collect();
    if installed.is_empty() {
        let fix = "install one, then run `deskmate connect`; `deskmate connect --help` lists those it knows";
        return vec![Check::not_set_up("apps", "no AI app was found", fix)];
    }
    let here = &here;
    // Side by side: each starts a program and waits for its answer.
    thread::scope(|scope| {
        let looking: Vec<_> = installed.iter().map(|client| scope.spawn(move || app(client, here))).collect();
        looking.into_iter().filter_map(|looking| looking.join().ok()).collect()
    })
}

fn app(client: &Client, here: &Where) -> Check {
    let again = format!("run `deskmate connect {}`", client.id);
    let Some(file) = client.file(here) else {
        return Check::not_set_up(client.name, "its file cannot be found", again);
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::not_set_up(client.name, "installed, not connected", again);
        }
        Err(error) => {
            let found = format!("cannot read `{}`: {error}", file.display());
            return Check::problem(client.name, found, "give this user access to it");
        }
    };
    match look_for(&text, client.dialect, PROGRAM) {
        Err(error) => {
            let found = format!("`{}` cannot be read: {error}", file.display());
            Check::problem(client.name, found, "correct the file; the app cannot read it either")
        }
        Ok(None) => Check::not_set_up(client.name, "installed, not connected", again),
        Ok(Some(entry)) if entry.command.is_empty() => {
            Check::ok(client.name, format!("connected over HTTP, in `{}`", file.display()))
        }
        Ok(Some(entry)) if !entry.starts(PROGRAM) => {
            let found = format!("its entry `{PROGRAM}` starts another program: `{}`", entry.command);
            let fix = format!("remove it from `{}`, then {again}", file.display());
            Check::problem(client.name, found, fix)
        }
        Ok(Some(entry)) if !Path::new(&entry.command).is_file() => {
            let found = format!("its entry starts `{}`, which is not there any more", entry.command);
            Check::problem(client.name, found, again)
        }
        Ok(Some(entry)) => {
            let entry = Entry {
                name: PROGRAM.to_owned(),
                command: entry.command,
                arguments: entry.arguments,
                variables: entry.variables,
            };
            match prove(&entry, client.era, &here.home) {
                Ok(proof) => Check::ok(
                    client.name,
                    format!(
                        "connected: it starts, offers {} tools, speaks MCP {}",
                        proof.tools, proof.revision
                    ),
                ),
                Err(error) => Check::problem(client.name, error.to_string(), again),
            }
        }
    }
}
