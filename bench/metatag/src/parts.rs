//! What the parts of a write buy that it could do without: each beside the plain way of doing the same.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use crate::Result;

const ROUNDS: usize = 31;

/// Prints a row for each part, measured with this picture.
pub(crate) fn measure(picture: &Path, scratch: &Path, journal: &Path) -> Result<()> {
    let folder = scratch.join("parts");
    fs::create_dir_all(&folder)?;
    let bytes = fs::read(picture)?;
    println!("### What the parts of a write buy, {:.1} MB, {ROUNDS} rounds\n", bytes.len() as f64 / 1e6);
    println!("| part | with it | without it |\n|---|--:|--:|");
    let (closer, replaced) = sync_channel::<File>(1);
    let closing = thread::spawn(move || replaced.into_iter().for_each(drop));
    let (mut handed, mut here) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        handed.push(let_go(&folder, &bytes, |old| closer.send(old).map_err(Into::into))?);
        here.push(let_go(&folder, &bytes, |old| {
            drop(old);
            Ok(())
        })?);
    }
    drop(closer);
    let _ = closing.join();
    println!(
        "| thread that closes the replaced file: ms until the answer | {:.3} | {:.3} |",
        middle(handed),
        middle(here)
    );
    let file = folder.join("read");
    fs::write(&file, &bytes)?;
    let (mut read, mut copy) = (Vec::new(), Vec::new());
    let again = median(|| read_and_copy(&file, &mut read, &mut copy))?;
    let fresh = median(|| read_and_copy(&file, &mut Vec::new(), &mut Vec::new()))?;
    println!("| memory that is used again: ms to read and copy the picture | {again:.2} | {fresh:.2} |");
    let (changes, kept) = journal_use(journal)?;
    println!("| deltas: bytes of the journal for one change | {} | {} |", kept / changes.max(1), bytes.len());
    Ok(fs::remove_dir_all(folder)?)
}

fn median(once: impl FnMut() -> Result<f64>) -> Result<f64> {
    Ok(middle(std::iter::repeat_with(once).take(ROUNDS).collect::<Result<_>>()?))
}

fn middle(mut took: Vec<f64>) -> f64 {
    took.sort_by(f64::total_cmp);
    took[took.len() / 2]
}

/// Replaces a file and lets the old one go: closing the last handle of a file without a name gives its blocks back.
fn let_go(folder: &Path, bytes: &[u8], close: impl FnOnce(File) -> Result<()>) -> Result<f64> {
    let (path, new) = (folder.join("old"), folder.join("new"));
    for path in [&path, &new] {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    let old = File::open(&path)?;
    fs::rename(&new, &path)?;
    File::open(folder)?.sync_all()?;
    let began = Instant::now();
    close(old)?;
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

fn read_and_copy(path: &Path, read: &mut Vec<u8>, copy: &mut Vec<u8>) -> Result<f64> {
    let mut file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len())?;
    let began = Instant::now();
    read.clear();
    read.reserve(length + 1);
    file.read_to_end(read)?;
    copy.clear();
    copy.extend_from_slice(black_box(read));
    black_box(copy);
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

/// How many records the journal has, and how many bytes they take.
fn journal_use(journal: &Path) -> Result<(usize, usize)> {
    let (mut changes, mut kept) = (0, 0);
    for entry in fs::read_dir(journal)? {
        let bytes = fs::read(entry?.path())?;
        changes += bytes.windows(8).filter(|window| window == b"DMundo03").count();
        kept += bytes.len();
    }
    Ok((changes, kept))
}
