//! A thousand pictures at once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::server::Server;
use crate::{Result, exiftool};

const FILES: usize = 1000;
/// So many requests are under way at once.
const WINDOW: usize = 32;
const ROUNDS: usize = 3;

pub(crate) fn measure(picture: &Path, scratch: &Path) -> Result<()> {
    let bytes = fs::read(picture)?;
    let folder = scratch.join("batch");
    let (mut ours, mut theirs, mut memory) = (Vec::new(), Vec::new(), 0.0_f64);
    for _ in 0..ROUNDS {
        let paths = fresh(&folder, &bytes)?;
        let mut server = Server::start(scratch)?;
        let began = Instant::now();
        ask_all(&mut server, &paths)?;
        ours.push(began.elapsed());
        memory = memory.max(peak_kib(server.pid())?);
        fresh(&folder, &bytes)?;
        let began = Instant::now();
        exiftool::write(&folder)?;
        theirs.push(began.elapsed());
    }
    fs::remove_dir_all(&folder)?;
    println!("### {FILES} pictures of {:.1} MB, {ROUNDS} rounds in turn\n", bytes.len() as f64 / 1e6);
    println!("| way | files/s, median | files/s, best | peak memory, MB |\n|---|--:|--:|--:|");
    let rate = |took: Duration| FILES as f64 / took.as_secs_f64();
    ours.sort();
    theirs.sort();
    let (mib, middle) = (1024.0, ROUNDS / 2);
    println!(
        "| ours, server, {WINDOW} calls under way, each durable | {:.0} | {:.0} | {:.1} |",
        rate(ours[middle]),
        rate(ours[0]),
        memory / mib,
    );
    println!("| exiftool, one process, no fsync | {:.0} | {:.0} | |", rate(theirs[middle]), rate(theirs[0]));
    Ok(())
}

fn fresh(folder: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let paths: Vec<PathBuf> = (0..FILES).map(|number| folder.join(format!("{number:04}.jpg"))).collect();
    for path in &paths {
        fs::write(path, bytes)?;
        File::open(path)?.sync_all()?;
    }
    Ok(paths)
}

fn ask_all(server: &mut Server, paths: &[PathBuf]) -> Result<()> {
    for (number, path) in paths.iter().enumerate() {
        if number >= WINDOW {
            server.answer()?;
        }
        server.ask(number, path)?;
    }
    for _ in 0..WINDOW.min(paths.len()) {
        server.answer()?;
    }
    Ok(())
}

fn peak_kib(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no memory in the status")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse()?)
}
