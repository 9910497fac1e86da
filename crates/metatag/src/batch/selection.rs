//! Which files a batch is about.

use std::path::{Path, PathBuf};

use files::{ListError, ListedKind, Place, Roots};

use super::BEGINNING;
use super::glob::{Pattern, Position};
use crate::container::{self, sidecar};
use crate::error::{Error, Kind};

/// More paths than this are not taken in one call.
pub const MOST_PATHS: usize = 10_000;
/// More files than this are not looked for.
pub const MOST_FILES: usize = 100_000;
/// A folder with more entries than this is not listed.
const MOST_ENTRIES: usize = 1_000_000;

/// Which files a batch is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// These.
    Paths(Vec<PathBuf>),
    /// The pictures in a folder.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Whether those in folders below it count.
        depth: Depth,
    },
    /// The pictures whose paths match a pattern.
    Glob(String),
}

/// How deep a folder is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The folder alone.
    Flat,
    /// The folders below it as well.
    Recursive,
}

/// The files of a selection, in order.
#[derive(Debug, Default)]
pub struct Files {
    /// The files.
    pub(super) paths: Vec<(PathBuf, Origin)>,
    /// Folders that could not be listed.
    pub(super) unlisted: Vec<Error>,
}

/// How a file came to be part of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Somebody named it: it should be a picture.
    Named,
    /// It was there: if it is no picture, nobody asked for it.
    Found,
}

impl Files {
    fn named(paths: Vec<PathBuf>) -> Files {
        Files { paths: paths.into_iter().map(|path| (path, Origin::Named)).collect(), unlisted: Vec::new() }
    }

    /// The files that are pictures, and those that somebody named, picture or not.
    pub fn pictures<'f>(&'f self, roots: &Roots) -> impl Iterator<Item = &'f Path> {
        self.paths.iter().filter(|(path, origin)| origin.wants(roots, path)).map(|(path, _)| path.as_path())
    }

    /// Folders that could not be listed.
    pub fn into_unlisted(self) -> Vec<Error> {
        self.unlisted
    }

    /// Adds those of another selection.
    pub fn join(&mut self, mut other: Files) {
        self.paths.append(&mut other.paths);
        self.unlisted.append(&mut other.unlisted);
    }
}

impl Origin {
    /// Whether a file of this origin is to be looked at: whatever was named, and what is found to be a picture.
    fn wants(self, roots: &Roots, path: &Path) -> bool {
        let beginning = || roots.resolve(path).ok()?.begin(BEGINNING).ok();
        match self {
            Origin::Named => true,
            // One that cannot be read is wanted: somebody should hear of it.
            Origin::Found => beginning().is_none_or(|found| is_ours(path, &found.bytes)),
        }
    }
}

/// Whether a file that begins like this has a place for metadata, inside or beside it.
pub(super) fn is_ours(path: &Path, beginning: &[u8]) -> bool {
    container::detect(beginning).is_some() || sidecar::is_kept_beside(path, beginning)
}

impl Selection {
    /// Finds the files. Symbolic links and hidden files and folders are not followed where they were not named.
    pub fn files(self, roots: &Roots) -> Result<Files, Error> {
        match self {
            Selection::Paths(paths) if paths.len() > MOST_PATHS => {
                let reason = format!("{} paths, and at most {MOST_PATHS} are taken in one call", paths.len());
                Err(Error::new(Path::new(""), Kind::BadSelection(reason)))
            }
            Selection::Paths(paths) => Ok(Files::named(paths)),
            Selection::Folder { path, depth } => {
                let pattern = match depth {
                    Depth::Flat => Pattern::files(),
                    Depth::Recursive => Pattern::files_below(),
                };
                search(roots, &path, &pattern)
            }
            Selection::Glob(text) => match Pattern::split(&text) {
                Some((base, pattern)) => search(roots, Path::new(&base), &pattern),
                None => Ok(Files::named(vec![text.into()])),
            },
        }
    }
}

fn search(roots: &Roots, base: &Path, pattern: &Pattern) -> Result<Files, Error> {
    let start = roots.resolve(base).map_err(|error| Error::new(base, error))?;
    let mut files = Files::default();
    // The last folder is looked at first, so those of a folder are put there in reverse.
    let mut waiting: Vec<(Place, PathBuf, Position)> = vec![(start, base.to_owned(), pattern.start())];
    while let Some((place, path, position)) = waiting.pop() {
        let listed = match place.list(MOST_ENTRIES) {
            Ok(listed) => listed,
            Err(error) if path == base => return Err(Error::new(base, error)),
            Err(error) => {
                files.unlisted.push(Error::new(&path, error));
                continue;
            }
        };
        let mut below = Vec::new();
        for entry in listed {
            let name = entry.name.to_string_lossy();
            match entry.kind {
                ListedKind::File if pattern.takes(&position, &name) => {
                    files.paths.push((path.join(&entry.name), Origin::Found));
                }
                ListedKind::File => {}
                ListedKind::Folder => {
                    if let Some(position) = pattern.enter(&position, &name) {
                        below.push((entry.place, path.join(&entry.name), position));
                    }
                }
            }
        }
        waiting.extend(below.into_iter().rev());
        if files.paths.len() + waiting.len() + files.unlisted.len() > MOST_FILES {
            let reason =
                format!("there are more than {MOST_FILES} files; choose a smaller folder or pattern");
            return Err(Error::new(base, Kind::BadSelection(reason)));
        }
    }
    Ok(files)
}

impl From<ListError> for Kind {
    fn from(error: ListError) -> Kind {
        match error {
            ListError::NotFound(_) => Kind::NotFound,
            ListError::NotAFolder(_) | ListError::TooMany { .. } => Kind::BadSelection(error.to_string()),
            ListError::Denied(_) | ListError::Io { .. } => Kind::NotReadable(error.to_string()),
        }
    }
}
