//! A thousand pictures at once.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::server::Server;
use crate::{Result, exiftool};

const FILES: usize = 1000;
const ROUNDS: usize = 3;

pub(crate) fn measure(picture: &Path, scratch: &Path, state: &Path) -> Result<()> {
    let bytes = fs::read(picture)?;
    let folder = scratch.join("batch");
    let (mut ours, mut theirs, mut memory) = (Vec::new(), Vec::new(), 0.0_f64);
    for _ in 0..ROUNDS {
        fresh(&folder, &bytes)?;
        let mut server = Server::start(scratch, state)?;
        let began = Instant::now();
        let summary = server.batch(&folder)?;
        ours.push(began.elapsed());
        if summary["written"] != FILES {
            return Err(format!("not all were written: {} of {FILES}", summary["written"]).into());
        }
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
        "| ours, `batchWriteImageMetadata`, each durable and undoable | {:.0} | {:.0} | {:.1} |",
        rate(ours[middle]),
        rate(ours[0]),
        memory / mib,
    );
    println!("| exiftool, one process, no fsync | {:.0} | {:.0} | |", rate(theirs[middle]), rate(theirs[0]));
    Ok(())
}

fn fresh(folder: &Path, bytes: &[u8]) -> Result<()> {
    fs::create_dir_all(folder)?;
    for number in 0..FILES {
        let path = folder.join(format!("{number:04}.jpg"));
        fs::write(&path, bytes)?;
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

fn peak_kib(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no memory in the status")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse()?)
}
