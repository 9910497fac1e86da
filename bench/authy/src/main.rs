//! What the vault costs: reads and stores by how much is in it, its log, its start, an import.
//!
//! `bench-authy SCRATCH` measures; `bench-authy serve` is the server that is measured, `bench-authy get` the command. Each figure stands beside that of
//! the program whose tools these are, measured earlier on a machine like this one.

mod clock;
mod getting;
mod server;
mod sizes;
mod starting;
mod syncs;
mod vaults;

use std::alloc::System;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use mcp::stdio::Limits;
use zeroizing_alloc::ZeroAlloc;

pub(crate) type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// As the `authy` command has it: wiping what is given back is part of the cost.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve"] => serve(),
        ["get", secret] => getting::get(secret),
        [scratch] => measure(Path::new(scratch)),
        _ => Err("usage: bench-authy SCRATCH, bench-authy serve, or bench-authy get NAME".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-authy: {error}");
            ExitCode::FAILURE
        }
    }
}

/// As `authy serve --mcp` does it.
fn serve() -> Result<()> {
    authy::harden_process();
    let config = authy::Config::from_environment();
    Ok(mcp::stdio::serve(Arc::new(authy::server(config)), Limits::default())?)
}

fn measure(scratch: &Path) -> Result<()> {
    let _ = std::fs::remove_dir_all(scratch);
    std::fs::create_dir_all(scratch)?;
    let scratch = std::fs::canonicalize(scratch)?;
    println!(
        "The original is authy 0.7.1, measured earlier on two such cores under load: read its column for the order"
    );
    println!(
        "of size. CPU is user and system time of the process that holds the vault; every call is in the audit log.\n"
    );
    sizes::measure(&scratch)?;
    println!();
    starting::measure(&scratch)?;
    getting::measure(&scratch)?;
    syncs::measure(&scratch)
}
