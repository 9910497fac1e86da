//! Which program this is, and whether the programs beside it are of the same release.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::release;

use super::check::Check;

/// The programs that are installed together.
const PROGRAMS: &[&str] = &["fotos-mcp", "metatag-genie", "authy", "vision-mcp", "recipe-vault"];

/// Each answers within milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn look() -> Vec<Check> {
    let own = env!("CARGO_PKG_VERSION");
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            let found = format!("cannot find out where this program is: {error}");
            return vec![Check::problem("version", found, "start it by its whole path")];
        }
    };
    // Linux says so of a program that was replaced while it runs.
    if program.to_string_lossy().ends_with(" (deleted)") {
        let found = format!("this is {own}, and its file was replaced since it started");
        return vec![Check::problem("version", found, "restart the app, or `deskmate serve`")];
    }
    let mut checks = vec![Check::ok("version", format!("{}, `{}`", release::describe(), program.display()))];
    let Some(folder) = program.parent() else { return checks };
    let others = PROGRAMS.iter().filter_map(|name| Some((*name, version(&folder.join(name))?)));
    let old: Vec<String> = others
        .filter(|(_, version)| version != own)
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    if !old.is_empty() {
        let found = format!("beside deskmate {own} there are: {}", old.join(", "));
        checks.push(Check::problem("programs", found, "install all programs from the same release"));
    }
    checks
}

/// What a program says its version is; nothing where there is no such program.
fn version(program: &Path) -> Option<String> {
    if !program.is_file() {
        return None;
    }
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        let _ = std::io::Read::read_to_end(&mut std::io::Read::take(&mut stdout, 4_096), &mut said);
        let _ = sender.send(said);
    });
    let said = receiver.recv_timeout(PATIENCE).unwrap_or_default();
    let _ = child.kill();
    let _ = child.wait();
    let said = String::from_utf8_lossy(&said).into_owned();
    Some(said.split_whitespace().nth(1).unwrap_or("of an unknown version").to_owned())
}
