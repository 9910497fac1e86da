//! The AI apps on this machine: whether each has an entry for Deskmate, and whether that starts.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread;

use connect::{
    Client, EditError, Entry, Found, Proof, System, Where, look as look_for, look_for_program, prove, text_of,
};

use super::check::{Check, Status};
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
    let text = match text_of(&file) {
        Ok(Some(text)) => text,
        Ok(None) => return Check::not_set_up(client.name, "installed, not connected", again),
        Err(error) => {
            return Check::problem(client.name, error.to_string(), "make it a file that this user can read");
        }
    };
    let unreadable = |error: EditError| {
        let found = format!("`{}` cannot be read: {error}", file.display());
        Check::problem(client.name, found, "correct the file; the app cannot read it either")
    };
    match look_for_program(&text, client.dialect, PROGRAM) {
        Err(error) => unreadable(error),
        Ok(ours) => match first_problem(ours.into_iter().map(|entry| started(client, here, entry))) {
            Some(check) => check,
            None => match look_for(&text, client.dialect, PROGRAM) {
                Err(error) => unreadable(error),
                Ok(None) => Check::not_set_up(client.name, "installed, not connected", again),
                Ok(Some(Found { command, address: Some(address), .. })) if command.is_empty() => {
                    over_http(client, &file, &address)
                }
                Ok(Some(entry)) if entry.command.is_empty() => {
                    let found = format!("its entry `{PROGRAM}` names neither a program nor a URL");
                    let fix = format!("remove it from `{}`, then {again}", file.display());
                    Check::problem(client.name, found, fix)
                }
                Ok(Some(entry)) => {
                    let found = format!("its entry `{PROGRAM}` starts another program: `{}`", entry.command);
                    let fix = format!(
                        "remove it from `{}`, then {again}; or choose another name with `--name`",
                        file.display()
                    );
                    Check::problem(client.name, found, fix)
                }
            },
        },
    }
}

/// An entry with a URL. Only one on this machine is looked for: others are not ours to call.
fn over_http(client: &Client, file: &Path, address: &str) -> Check {
    let place = address.strip_prefix("http://").and_then(|rest| rest.split(['/', '?', '#']).next());
    let is_here =
        |place: &&str| ["127.0.0.1:", "localhost:", "[::1]:"].iter().any(|own| place.starts_with(own));
    if let Some(place) = place.filter(is_here)
        && TcpStream::connect(place).is_err()
    {
        let found = format!("connected over HTTP, but nothing listens at http://{place}/");
        let fix = "run `deskmate serve`, or `deskmate serve --install` to keep it running";
        return Check::problem(client.name, found, fix);
    }
    Check::ok(client.name, format!("connected over HTTP, in `{}`", file.display()))
}

/// The check to show of several: one that failed, if there is any.
fn first_problem(checks: impl Iterator<Item = Check>) -> Option<Check> {
    checks.reduce(|shown, next| if shown.status == Status::Ok { next } else { shown })
}

/// Whether an entry starts, as the app would start it.
fn started(client: &Client, here: &Where, (name, found): (String, Found)) -> Check {
    let named = if name == PROGRAM { String::new() } else { format!(" --name {name}") };
    let again = format!("run `deskmate connect {}{named}`", client.id);
    if !found.command.contains(['/', '\\']) {
        let found = format!(
            "its entry starts `{}` without its folder, and apps have search paths of their own",
            found.command
        );
        return Check::problem(client.name, found, again);
    }
    if !Path::new(&found.command).is_file() {
        let found = format!("its entry starts `{}`, which is not there any more", found.command);
        return Check::problem(client.name, found, again);
    }
    let Found { command, arguments, variables, .. } = found;
    match prove(&Entry { name, command, arguments, variables }, client.era, &here.home) {
        Ok(Proof { tools, revision, .. }) => Check::ok(
            client.name,
            format!("connected: it starts, offers {tools} tools, speaks MCP {revision}"),
        ),
        Err(error) => Check::problem(client.name, error.to_string(), again),
    }
}
