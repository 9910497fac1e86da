//! What the disk allows: how often it syncs what eight creates write.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Result;

/// Syncs a second of a file that grows by so many bytes each time.
pub(crate) fn syncs_per_second(folder: &Path, bytes: usize) -> Result<f64> {
    let path = folder.join("sync-probe");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let block = vec![7; bytes];
    let (began, mut count) = (Instant::now(), 0.0);
    while began.elapsed() < Duration::from_secs(3) {
        file.write_all(&block)?;
        file.sync_data()?;
        count += 1.0;
    }
    let rate = count / began.elapsed().as_secs_f64();
    std::fs::remove_file(path)?;
    Ok(rate)
}
