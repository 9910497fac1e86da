//! The files under some folders, in order, without following links.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;

use super::Report;

/// How much is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of one file; larger ones are named and left out.
    pub file: u64,
    /// Bytes of all files.
    pub total: u64,
    /// Files.
    pub files: usize,
    /// Files and folders looked at to find them.
    pub entries: usize,
    /// Leaks reported.
    pub leaks: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { file: 16 << 20, total: 1 << 30, files: 100_000, entries: 1_000_000, leaks: 1000 }
    }
}

/// What kernels make up has no leaks in it, and no end.
const NOT_FILES: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Files that are still to be read, and folders that are still to be opened.
pub(super) fn files(places: &[PathBuf], bounds: Bounds, report: &mut Report) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: VecDeque<PathBuf> = VecDeque::new();
    let mut seen = 0;
    let mut add = |path: PathBuf, kind: fs::FileType, folders: &mut VecDeque<PathBuf>| {
        if kind.is_dir() && !NOT_FILES.iter().any(|root| path.as_os_str() == *root) {
            folders.push_back(path);
        } else if kind.is_file() {
            files.push(path);
        }
    };
    for place in places {
        match fs::symlink_metadata(place) {
            Ok(about) => add(place.clone(), about.file_type(), &mut folders),
            Err(error) => report.unread.push((place.clone(), error.to_string())),
        }
    }
    while let Some(folder) = folders.pop_front() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                report.unread.push((folder, error.to_string()));
                continue;
            }
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > bounds.entries {
                report.incomplete = true;
                break;
            }
            if let Ok(kind) = entry.file_type() {
                add(entry.path(), kind, &mut folders);
            }
        }
        if report.incomplete {
            break;
        }
    }
    files.sort();
    files
}
