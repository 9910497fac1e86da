//! Files and folders as people name them.

use std::path::{Path, PathBuf};

use metatag::batch::{Depth, Files, Selection};
use metatag::error::Error;

use super::Desk;

/// Files, and folders with files in them.
#[derive(clap::Args)]
pub(super) struct Paths {
    /// Pictures, or folders with pictures
    #[arg(value_name = "FILE|FOLDER", required = true)]
    paths: Vec<PathBuf>,
    /// Also the folders below a folder
    #[arg(long)]
    recursive: bool,
}

impl Paths {
    /// The files there are. A folder that cannot be used is an error like a file that cannot.
    pub(super) fn find(self, desk: &Desk) -> (Files, Vec<Error>) {
        let depth = if self.recursive { Depth::Recursive } else { Depth::Flat };
        let (mut files, mut errors) = (Files::default(), Vec::new());
        for path in self.paths {
            let path = absolute(&path);
            let selection =
                if path.is_dir() { Selection::Folder { path, depth } } else { Selection::Paths(vec![path]) };
            match selection.files(&desk.roots) {
                Ok(found) => files.join(found),
                Err(error) => errors.push(error),
            }
        }
        (files, errors)
    }
}

/// A path that is told from the folder we are in.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
