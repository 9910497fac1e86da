//! A secret from a file descriptor that whoever started us opened for it.

use std::io::Read;

use zeroize::Zeroizing;

use super::failure::Failure;
use crate::sys;

/// Longer than anybody's passphrase.
const LONGEST: u64 = 64 * 1024;

/// Everything up to the first newline or the end.
pub(super) fn read_line(fd: i32) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let failed = |source| Failure::Read { what: format!("the passphrase from file descriptor {fd}"), source };
    let mut bytes = Zeroizing::new(Vec::with_capacity(4096));
    let file = sys::open_descriptor(fd).map_err(failed)?;
    file.take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let line = bytes.get(..end).unwrap_or_default();
    let end = line.strip_suffix(b"\r").unwrap_or(line).len();
    bytes.truncate(end);
    Ok(bytes)
}
