//! Writes metadata into pictures beside a plain durable copy and beside exiftool, in turn, and prints a table.
//!
//! `bench-metatag PICTURES SCRATCH` measures; `bench-metatag serve` is the server that is measured.

mod batch;
mod exiftool;
mod parts;
mod server;
mod ways;

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp::stdio::Limits;
use rustix::time::{ClockId, clock_gettime};
use ways::{WAYS, Way, Workers};

pub(crate) type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

const ROUNDS: usize = 31;
/// exiftool alone takes half a second; it does not need as many.
const SLOW_ROUNDS: usize = 7;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve"] => serve(),
        [pictures, scratch] => measure(Path::new(pictures), Path::new(scratch)),
        _ => Err("usage: bench-metatag PICTURES SCRATCH, or bench-metatag serve".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-metatag: {error}");
            ExitCode::FAILURE
        }
    }
}

/// As `metatag-genie` does it.
fn serve() -> Result<()> {
    let config = metatag::Config::from_environment(|name| std::env::var_os(name));
    Ok(mcp::stdio::serve(Arc::new(metatag::server(config)), Limits::default())?)
}

fn measure(pictures: &Path, scratch: &Path) -> Result<()> {
    fs::create_dir_all(scratch)?;
    let scratch = fs::canonicalize(scratch)?;
    // The journal for undoing is on, as it is for everybody; it is not among the pictures.
    let state = scratch.join("state");
    let pictures_here = scratch.join("pictures");
    fs::create_dir_all(&pictures_here)?;
    let mut workers = Workers::start(&scratch, &state)?;
    println!("### One picture, four fields, {ROUNDS} rounds in turn\n");
    println!("`copy` is the bound: the same file read, written, fsynced, renamed, and its folder fsynced.");
    println!("Ours is verified before it replaces the file, and can be undone.\n");
    println!(
        "| picture | way | median ms | best ms | median to copy | best to copy | CPU ms | CPU to copy |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for name in ["3mb.jpg", "3mb.png", "3mb.heic"] {
        one_picture(&pictures.join(name), &pictures_here, &mut workers)?;
    }
    println!();
    parts::measure(&pictures.join("3mb.jpg"), &scratch, &state.join("MetaTagGenie/undo"))?;
    println!();
    batch::measure(&pictures.join("small.jpg"), &scratch, &state)
}

/// What one write took.
#[derive(Clone, Copy)]
struct Took {
    wall: Duration,
    /// Of this process; none where another one does the work.
    cpu: Duration,
}

fn one_picture(picture: &Path, scratch: &Path, workers: &mut Workers) -> Result<()> {
    let name = picture.file_name().unwrap_or_default();
    let path = scratch.join(name);
    let bytes = fs::read(picture).map_err(|error| format!("cannot read {}: {error}", picture.display()))?;
    let mut took: Vec<Vec<Took>> = WAYS.iter().map(|_| Vec::new()).collect();
    for round in 0..ROUNDS {
        for (way, took) in WAYS.iter().zip(&mut took) {
            if *way == Way::ExiftoolAlone && round >= SLOW_ROUNDS {
                continue;
            }
            fresh(&path, &bytes)?;
            took.push(timed(|| way.write(&path, workers))?);
        }
    }
    let copy = figures(&took[0]);
    for (way, took) in WAYS.iter().zip(&took) {
        let (median, best, cpu) = figures(took);
        let cpu = if way.is_here() { format!("{cpu:.2} | {:.2}", cpu / copy.2) } else { " | ".to_owned() };
        println!(
            "| {}, {:.1} MB | {} | {median:.2} | {best:.2} | {:.2} | {:.2} | {cpu} |",
            name.display(),
            bytes.len() as f64 / 1e6,
            way.name(),
            median / copy.0,
            best / copy.1,
        );
    }
    Ok(fs::remove_file(path)?)
}

/// A copy whose bytes are on the disk: what is timed must not pay for it.
fn fresh(path: &PathBuf, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes)?;
    Ok(File::open(path)?.sync_all()?)
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Took> {
    let (wall, cpu) = (Instant::now(), cpu_time());
    work()?;
    Ok(Took { wall: wall.elapsed(), cpu: cpu_time().saturating_sub(cpu) })
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

/// Median and best of the wall time, and the median of the processor time, in milliseconds.
fn figures(took: &[Took]) -> (f64, f64, f64) {
    let sorted = |of: fn(&Took) -> Duration| {
        let mut times: Vec<f64> = took.iter().map(|took| of(took).as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let (wall, cpu) = (sorted(|took| took.wall), sorted(|took| took.cpu));
    (wall[wall.len() / 2], wall[0], cpu[cpu.len() / 2])
}
