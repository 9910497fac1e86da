//! The programs of the package `postgresql`, and who runs them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

const REMEDY: &str = "install Debian's package `postgresql`; `./dev test` does it";

/// The folder with `initdb` and the others.
pub(crate) fn folder() -> PathBuf {
    let asked = Command::new("pg_config").arg("--bindir").output();
    let named = asked.ok().filter(|output| output.status.success());
    let named = named.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut installed: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    installed.sort();
    let folders = named.into_iter().chain(installed.into_iter().rev());
    let found = folders.into_iter().find(|folder| folder.join("initdb").exists());
    found.unwrap_or_else(|| panic!("PostgreSQL is not installed; {REMEDY}"))
}

/// Whether this process is root's, whom PostgreSQL refuses.
pub(crate) fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("`id` runs");
    output.stdout.trim_ascii() == b"0"
}

/// A command of the user who may run servers: this one, or `postgres` instead of root.
pub(crate) fn command(program: impl Into<PathBuf>) -> Command {
    let program = program.into();
    let mut command = if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    // The home of root is closed to others, and the working folder may be.
    command.current_dir("/").env_remove("PGDATA").stdin(Stdio::null());
    command
}

/// Runs a command to its end.
#[track_caller]
pub(crate) fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; {REMEDY}"));
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
