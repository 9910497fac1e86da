//! Windows: a path is text.

use std::path::PathBuf;

/// A path as it was read.
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).trim_end_matches('\r').into()
}
