//! From starting a server to its first answers, with a keyfile and with a passphrase; and an import.

use std::path::Path;
use std::time::Instant;

use authy::{AuthyClient, Credential, NewSlot, Vault};
use serde_json::json;

use crate::Result;
use crate::clock::{self, median, millis};
use crate::server::Server;
use crate::vaults::{Bench, import, lines, name};

const STARTS: usize = 21;
const PASSPHRASE: &str = "correct horse battery staple";
const IMPORTED: usize = 10_000;
const IMPORTS: usize = 5;

pub(crate) fn measure(scratch: &Path) -> Result<()> {
    println!("### Start, passphrase, import\n");
    println!("| what | ours | original |\n|---|--:|---|");
    let bench = Bench::filled(scratch, 100)?;
    let (mut greeted, mut first) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let began = Instant::now();
        let mut server = Server::start(&bench)?;
        server.greet()?;
        greeted.push(millis(began.elapsed()));
        let asked = Instant::now();
        server.call("get_secret", &json!({ "name": name(1) }))?;
        first.push(millis(asked.elapsed()));
        server.end()?;
    }
    println!("| start to `initialize`, ms | {:.2} | 1.6–2.9 |", median(greeted));
    println!("| first `get_secret` after it, keyfile, ms | {:.2} | about 1 |", median(first));
    passphrase(scratch)?;
    let mut took = Vec::new();
    for number in 0..IMPORTS {
        let bench = Bench::new(scratch, &format!("import-{number}"))?;
        let (session, lines) = (bench.client().session()?, lines(IMPORTED));
        let began = Instant::now();
        import(&session, &lines)?;
        took.push(millis(began.elapsed()));
    }
    println!("| import of {IMPORTED} secrets, durable, ms | {:.0} | 5,000–10,000 |", median(took));
    Ok(())
}

fn passphrase(scratch: &Path) -> Result<()> {
    let vault = Vault::at(scratch.join("passphrase"));
    vault.create(&[NewSlot::Passphrase(PASSPHRASE.to_owned().into())])?;
    let owner = AuthyClient::new(vault.clone(), Credential::Passphrase(PASSPHRASE.to_owned().into()));
    owner.store("a", "1", false)?;
    let began = clock::own()?;
    let _ = vault.unlock(&Credential::Passphrase(PASSPHRASE.to_owned().into()))?;
    let one = millis(clock::own()?.saturating_sub(began));
    let mut server = Server::with_passphrase(vault.folder(), PASSPHRASE)?;
    server.greet()?;
    let spent = |pid| clock::of(pid).map(millis);
    let mut calls = Vec::new();
    for _ in 0..3 {
        let before = spent(server.pid())?;
        server.call("get_secret", &json!({ "name": "a" }))?;
        calls.push(spent(server.pid())? - before);
    }
    println!(
        "| one unlocking by passphrase (Argon2id, 64 MiB, 3 passes), CPU ms | {one:.0} | 180–1,500 (scrypt) |"
    );
    println!("| passphrase: first `get_secret`, CPU ms | {:.0} | 180–1,500 |", calls[0]);
    println!("| passphrase: second `get_secret`, CPU ms | {:.3} | 180–1,500 |", calls[1]);
    println!("| passphrase: third `get_secret`, CPU ms | {:.3} | 180–1,500 |", calls[2]);
    println!("| passphrase: peak memory, MB | {:.0} | 517 |", clock::peak_memory(server.pid())?);
    server.end()
}
