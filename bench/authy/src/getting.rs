//! `authy get` as a command: a process that opens the vault, writes its entry to the disk, and shows one value.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use authy::{Consent, Credential, SecretName, Vault};

use crate::Result;
use crate::clock::{median, millis};
use crate::vaults::{Bench, name};

const GETS: usize = 101;

/// What the command does between reading its arguments and its end.
pub(crate) fn get(secret: &str) -> Result<()> {
    authy::harden_process();
    let vault = Vault::from_environment(|name| std::env::var_os(name))?;
    let credential = Credential::from_environment(|name| std::env::var_os(name))?.ok_or("no credential")?;
    let session = vault.unlock(&credential)?.with_actor("authy").with_durable_reads();
    let value = session.get(&SecretName::new(secret)?, Consent::Unasked)?;
    Ok(std::io::stdout().write_all(value.as_bytes())?)
}

pub(crate) fn measure(scratch: &Path) -> Result<()> {
    let bench = Bench::filled(scratch, 200)?;
    let (mut whole, mut flushes) = (Vec::new(), Vec::new());
    for number in 0..GETS {
        let began = Instant::now();
        run(command(&bench, None)?.args(["get", &name(number % 100)]))?;
        whole.push(millis(began.elapsed()));
        // What one wait for the disk takes now, beside it.
        let file = fs::OpenOptions::new().create(true).append(true).open(scratch.join("flushed"))?;
        let began = Instant::now();
        (&file).write_all(&[0; 4096])?;
        file.sync_data()?;
        flushes.push(millis(began.elapsed()));
    }
    println!(
        "| `authy get`, a process of its own, keyfile, entry on the disk, ms | {:.2} | 0.5–1.7, not durable |",
        median(whole)
    );
    println!("| one wait for the disk at the same time, ms | {:.2} | |", median(flushes));
    let mut counts = Vec::new();
    for after_a_change in [false, true] {
        if after_a_change {
            bench.client().store("another", "1", false)?;
        }
        let log = scratch.join("get-syncs");
        run(command(&bench, Some(&log))?.args(["get", &name(1)]))?;
        let traced = fs::read_to_string(&log)?;
        counts.push(traced.lines().filter(|line| line.contains("sync(")).count().to_string());
    }
    println!(
        "| waits for the disk of `authy get`: after another one, after a store | {} | 0 |",
        counts.join(", ")
    );
    Ok(())
}

fn command(bench: &Bench, traced: Option<&Path>) -> Result<Command> {
    let program = std::env::current_exe()?;
    let mut command = match traced {
        None => Command::new(program),
        Some(log) => {
            let mut strace = Command::new("strace");
            strace.args(["-f", "-qq", "-e", "trace=fsync,fdatasync", "-o"]).arg(log).arg(program);
            strace
        }
    };
    command.env("AUTHY_HOME", bench.vault.folder()).env("AUTHY_ANCHOR", bench.vault.folder());
    command.env("AUTHY_KEYFILE", &bench.keyfile).env_remove("AUTHY_TOKEN").stdout(Stdio::null());
    Ok(command)
}

fn run(command: &mut Command) -> Result<()> {
    if command.status()?.success() { Ok(()) } else { Err("`get` failed".into()) }
}
