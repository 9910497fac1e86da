//! Files and folders as people name them.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use metatag::batch::{Depth, Files, MOST_PATHS, Selection};
use metatag::error::Error;

use super::Desk;
use crate::sys;

/// A longer list of files is not read from stdin.
const LONGEST_LIST: u64 = 64 << 20;

/// Files, and folders with files in them.
#[derive(clap::Args)]
pub(super) struct Paths {
    /// Pictures, or folders with pictures; `-` reads a list of them from stdin, one a line or with zeros between them
    #[arg(value_name = "FILE|FOLDER", required = true)]
    paths: Vec<PathBuf>,
    /// Also the folders below a folder
    #[arg(long)]
    recursive: bool,
}

/// The paths that were named, with those of the list.
pub(super) fn named(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut named = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            named.extend(from_stdin().map_err(|error| Error::of_list(error.to_string()))?);
        } else {
            named.push(absolute(path));
        }
    }
    Ok(named)
}

/// How deep folders are searched.
pub(super) fn depth(recursive: bool) -> Depth {
    if recursive { Depth::Recursive } else { Depth::Flat }
}

impl Paths {
    /// The files there are. A folder that cannot be used is an error like a file that cannot.
    pub(super) fn find(self, desk: &Desk) -> (Files, Vec<Error>) {
        let depth = depth(self.recursive);
        let (mut files, mut errors) = (Files::default(), Vec::new());
        let mut add = |selection: Selection| match selection.files(&desk.roots) {
            Ok(found) => files.join(found),
            Err(error) => errors.push(error),
        };
        match named(&self.paths) {
            Ok(named) => {
                let (folders, alone): (Vec<PathBuf>, Vec<PathBuf>) =
                    named.into_iter().partition(|path| path.is_dir());
                for part in alone.chunks(MOST_PATHS) {
                    add(Selection::Paths(part.to_vec()));
                }
                for path in folders {
                    add(Selection::Folder { path, depth });
                }
            }
            Err(error) => errors.push(error),
        }
        (files, errors)
    }
}

fn from_stdin() -> io::Result<Vec<PathBuf>> {
    let mut list = Vec::new();
    io::stdin().lock().take(LONGEST_LIST + 1).read_to_end(&mut list)?;
    if list.len() as u64 > LONGEST_LIST {
        return Err(io::Error::other(format!("the list on stdin is longer than {LONGEST_LIST} bytes")));
    }
    let separator = if list.contains(&0) { 0 } else { b'\n' };
    let lines = list.split(|byte| *byte == separator).filter(|line| !line.is_empty());
    Ok(lines.map(|line| absolute(&sys::path(line))).collect())
}

/// A path that is told from the folder we are in.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
