//! The program of a command: found once, and looked at before it is run.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A program by its absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
}

/// Why a program cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// A path, but not an absolute one.
    #[error("`{0}` is neither the name of a program nor an absolute path; give one of them")]
    Relative(String),
    /// There is none.
    #[error("there is no program `{0}`; install it or check its name")]
    NotFound(String),
    /// It cannot be looked at.
    #[error("cannot look at `{}`: {source}; check who may read it", path.display())]
    Unreadable {
        /// The program.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is no file that can be run.
    #[error("`{}` is not an executable file; check the path", .0.display())]
    NotExecutable(PathBuf),
    /// Others could put something else in its place.
    #[error("`{}` can be changed by other users; it gets no secrets until `chmod go-w` is run on it", .0.display())]
    Changeable(PathBuf),
}

impl Program {
    /// Finds a program by its absolute path, or by its name in the folders of `path`.
    pub fn find(name: &str, path: &OsStr) -> Result<Program, ProgramError> {
        if name.contains('\0') || name.is_empty() {
            return Err(ProgramError::NotFound(name.replace('\0', "")));
        }
        if Path::new(name).is_absolute() {
            return Program::check(Path::new(name)).map(|()| Program { path: name.into() });
        }
        if name.contains('/') {
            return Err(ProgramError::Relative(name.to_owned()));
        }
        // A relative folder in the list would mean another program in every working directory.
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let found = folders.map(|folder| folder.join(name)).find(|path| is_executable(path));
        let path = found.ok_or_else(|| ProgramError::NotFound(name.to_owned()))?;
        Program::check(&path).map(|()| Program { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks at what the path leads to: a secret goes to no program that somebody else can exchange.
    fn check(path: &Path) -> Result<(), ProgramError> {
        let unreadable = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                ProgramError::NotFound(path.display().to_string())
            }
            _ => ProgramError::Unreadable { path: path.to_owned(), source },
        };
        let real = fs::canonicalize(path).map_err(unreadable)?;
        if !is_executable(&real) {
            return Err(ProgramError::NotExecutable(path.to_owned()));
        }
        let us = rustix::process::geteuid().as_raw();
        for place in [Some(real.as_path()), real.parent()].into_iter().flatten() {
            let about = fs::metadata(place).map_err(unreadable)?;
            let foreign = ![0, us].contains(&about.uid());
            // The group of root is trusted as root is: package managers leave folders writable to it.
            let by_group = about.mode() & 0o020 != 0 && about.gid() != 0;
            if foreign || by_group || about.mode() & 0o002 != 0 {
                return Err(ProgramError::Changeable(place.to_owned()));
            }
        }
        Ok(())
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.mode() & 0o111 != 0)
}
