//! How often a store waits for the disk, counted by strace.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::Result;
use crate::server::Server;
use crate::vaults::Bench;

const STORES: usize = 100;

pub(crate) fn measure(scratch: &Path) -> Result<()> {
    let bench = Bench::filled(scratch, 50)?;
    let log = scratch.join("syncs");
    let mut server = Server::traced(&bench, &log)?;
    server.greet()?;
    let mut counts = Vec::new();
    let mut before = 0;
    for number in 0..=STORES {
        server.call("store_secret", &json!({ "name": format!("n-{number}"), "value": "v" }))?;
        let now = fs::read_to_string(&log)?
            .lines()
            .filter(|line| line.contains("sync(") && !line.contains("resumed"))
            .count();
        counts.push(now - before);
        before = now;
    }
    server.end()?;
    // The first opens the vault.
    let counts = &counts[1..];
    let (most, all) = (counts.iter().max().copied().unwrap_or_default(), counts.iter().sum::<usize>());
    let mean = all as f64 / counts.len() as f64;
    println!(
        "| waits for the disk (`fsync`, `fdatasync`) of a durable store: mean of {STORES}, most | {mean:.2}, {most} | 0: not durable |"
    );
    Ok(())
}
