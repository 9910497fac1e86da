//! The program of a command: found once, and looked at before it is run.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::keys::crypto::hex;
use crate::sys::{StickyBit, is_executable, others_can_change};

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
            return Program::check(Path::new(name)).map(|path| Program { path });
        }
        if name.contains('/') {
            return Err(ProgramError::Relative(name.to_owned()));
        }
        // A relative folder in the list would mean another program in every working directory.
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let found = folders.map(|folder| folder.join(name)).find(|path| is_executable(path));
        let path = found.ok_or_else(|| ProgramError::NotFound(name.to_owned()))?;
        Program::check(&path).map(|path| Program { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks at what the path leads to, and at every link and folder on the way: a secret goes to no program that somebody
    /// else can exchange. Gives the real path, which is the one that is run.
    fn check(path: &Path) -> Result<PathBuf, ProgramError> {
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
        let mut place = path.to_owned();
        // As many links as the system follows.
        for _ in 0..40 {
            for folder in place.ancestors().skip(1) {
                if !folder.as_os_str().is_empty() {
                    check_unchangeable(folder, StickyBit::Helps).map_err(unreadable)?.map_or(Ok(()), Err)?;
                }
            }
            match fs::read_link(&place) {
                Ok(target) => {
                    place = place.parent().unwrap_or(Path::new("/")).join(target);
                }
                Err(_) => break,
            }
        }
        for folder in real.ancestors().skip(1) {
            check_unchangeable(folder, StickyBit::Helps).map_err(unreadable)?.map_or(Ok(()), Err)?;
        }
        for place in [Some(real.as_path()), real.parent()].into_iter().flatten() {
            check_unchangeable(place, StickyBit::Not).map_err(unreadable)?.map_or(Ok(()), Err)?;
        }
        Ok(real)
    }
}

/// What is wrong with a file or folder that others can change.
fn check_unchangeable(place: &Path, sticky: StickyBit) -> io::Result<Option<ProgramError>> {
    Ok(others_can_change(place, sticky)?.then(|| ProgramError::Changeable(place.to_owned())))
}

/// The digest of a program, as rules write it.
pub fn digest(program: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut file = fs::File::open(program)?;
    let mut piece = vec![0; 1 << 16];
    loop {
        match io::Read::read(&mut file, &mut piece)? {
            0 => break,
            count => hash.update(piece.get(..count).unwrap_or_default()),
        }
    }
    Ok(hex(&hash.finalize()))
}
