//! Calls on vaults of different sizes, and after many of them.

use std::path::Path;

use authy::AuthyClient;
use serde_json::json;

use crate::Result;
use crate::clock::{self, Took, timed};
use crate::server::Server;
use crate::vaults::{Bench, name};

const SIZES: [usize; 3] = [10, 1_000, 10_000];
const READS: usize = 9_000;
/// In the library, where a call is short: enough to see past what else the machine does.
const LIBRARY_READS: usize = 15_000;
const LISTS: usize = 100;
const STORES: usize = 200;
/// What the log of one vault has more than that of another.
const MORE: usize = 10_000;
/// How often these two are measured in turn.
const TURNS: usize = 15;

/// A row: a figure for each size, and what the original had.
struct Row {
    what: &'static str,
    figures: Vec<f64>,
    original: &'static str,
}

pub(crate) fn measure(scratch: &Path) -> Result<()> {
    let row = |what, original| Row { what, figures: Vec::new(), original };
    let mut rows = [
        row("`get_secret`, library: CPU", ""),
        row("`get_secret`, MCP on stdio: CPU", "0.18–0.24 / 1.1–1.5 / 13–15"),
        row("`get_secret`, MCP on stdio: median", "0.5–1.7 / 4.8–20 / 45–91"),
        row("`list_secrets`, MCP on stdio: CPU", "0.12–0.17 / 1.1–1.4 / 12"),
        row("`store_secret`, MCP on stdio, durable: CPU", "1.0–1.2 / 2.4–2.6 / 22–23, not durable"),
        row("`store_secret`, MCP on stdio, durable: median", "2.0–2.5 / 3.2–12 / 88–113, not durable"),
    ];
    for size in SIZES {
        let bench = Bench::filled(scratch, size)?;
        let library = in_this_process(&bench, size)?;
        let mut server = Server::start(&bench)?;
        server.greet()?;
        let reads = read(&mut server, size, READS)?;
        let lists = calls(&mut server, LISTS, |server, _| server.call("list_secrets", &json!({})))?;
        let stores = calls(&mut server, STORES, |server, number| {
            server.call("store_secret", &json!({ "name": format!("new-{number}"), "value": "a new value" }))
        })?;
        let found = [library.cpu, reads.cpu, reads.wall, lists.cpu, stores.cpu, stores.wall];
        for (row, figure) in rows.iter_mut().zip(found) {
            row.figures.push(figure);
        }
        server.end()?;
    }
    println!("### By the number of secrets, ms for a call\n");
    println!("| what | 10 | 1,000 | 10,000 | original: 10 / 1,000 / 10,000 |\n|---|--:|--:|--:|---|");
    for Row { what, figures, original } in rows {
        let figures: Vec<String> = figures.iter().map(|figure| format!("{figure:.4}")).collect();
        println!("| {what} | {} | {original} |", figures.join(" | "));
    }
    let (before, after) = growth(scratch)?;
    println!(
        "\n`get_secret` after {MORE} more audited calls: {after:.4} ms of CPU, {before:.4} ms before: {:.2}x (original: 4.1x).",
        after / before
    );
    Ok(())
}

/// A read from a vault with a short log and from one with a long log, by this process and in turn: what else the machine does
/// is the same for both.
fn growth(scratch: &Path) -> Result<(f64, f64)> {
    let size = SIZES[1];
    let vaults = [Bench::filled(&scratch.join("short"), size)?, Bench::filled(&scratch.join("long"), size)?];
    let [short, long] = [vaults[0].client(), vaults[1].client()];
    let mean = |client: &AuthyClient, times: usize| -> Result<f64> {
        let before = clock::own()?;
        for number in 0..times {
            client.get_or_err(&name(number * 7 % size))?;
        }
        Ok(clock::millis(clock::own()?.saturating_sub(before)) / times as f64)
    };
    mean(&short, 1)?;
    mean(&long, MORE)?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        before.push(mean(&short, LIBRARY_READS / TURNS)?);
        after.push(mean(&long, LIBRARY_READS / TURNS)?);
    }
    Ok((clock::median(before), clock::median(after)))
}

fn in_this_process(bench: &Bench, size: usize) -> Result<Took> {
    let client = bench.client();
    client.get_or_err(&name(0))?;
    timed(LIBRARY_READS, clock::own, |number| {
        client.get_or_err(&name(number * 7 % size))?;
        Ok(())
    })
}

fn read(server: &mut Server, size: usize, times: usize) -> Result<Took> {
    calls(server, times, |server, number| {
        server.call("get_secret", &json!({ "name": name(number * 7 % size) }))
    })
}

fn calls(
    server: &mut Server,
    calls: usize,
    mut call: impl FnMut(&mut Server, usize) -> Result<String>,
) -> Result<Took> {
    let pid = server.pid();
    // One that fills caches.
    call(server, calls)?;
    timed(calls, || clock::of(pid), |number| call(server, number).map(|_| ()))
}
