//! Which folders a person lets clients use: from the environment, or from the file `folders` in the state folder.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::home::{FolderError, Home, PrivateFolder};
use crate::roots::Roots;
use crate::sys;

/// The file's name.
const NAME: &str = "folders";

/// Held by the process that adds to the list.
const LOCK: &str = "folders.lock";

/// More than anybody names.
const MOST_BYTES: u64 = 1 << 20;

/// The folders that clients may use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// For the process that started us.
    pub local: Roots,
    /// For clients that connect over HTTP.
    pub remote: Roots,
}

impl Allowed {
    /// What `DESKMATE_ROOTS` lists, else what the file lists, for everybody. Without both, the process that started us may
    /// use the home folder, and nobody else anything.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Allowed {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        if let Some(list) = set("DESKMATE_ROOTS") {
            let roots = Roots::from_list(&list);
            return Allowed { local: roots.clone(), remote: roots };
        }
        let named = Home::from_environment(&variable).ok().map(|home| Folders::of(&home).read());
        match named {
            Some(Ok(Some(folders))) => {
                let roots = Roots::new(folders);
                Allowed { local: roots.clone(), remote: roots }
            }
            // A list that is there and cannot be read allows nothing.
            Some(Err(_)) => Allowed::default(),
            Some(Ok(None)) | None => Allowed {
                local: Roots::new(sys::home_folder(|name| set(name).map(PathBuf::from))),
                remote: Roots::none(),
            },
        }
    }
}

/// Why a folder was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The list that is there cannot be read: nobody knows what it allows.
    #[error("cannot read the list of folders `{}`: {source}; remove it", path.display())]
    Read {
        /// The list.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write the list of folders: {0}")]
    Write(#[from] FolderError),
}

/// The file that lists folders: absolute paths, one on each line.
#[derive(Debug, Clone)]
pub struct Folders {
    home: PathBuf,
}

impl Folders {
    /// The one of this state folder.
    pub fn of(home: &Home) -> Folders {
        Folders { home: home.path().to_owned() }
    }

    /// Where it is, or would be.
    pub fn path(&self) -> PathBuf {
        self.home.join(NAME)
    }

    /// The folders in it; nothing where there is no file.
    pub fn read(&self) -> io::Result<Option<Vec<PathBuf>>> {
        let file = match fs::File::open(self.path()) {
            Ok(file) => file,
            // Below something that is no folder, there is no list either.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(Some(lines.map(PathBuf::from).filter(|path| path.is_absolute()).collect()))
    }

    /// Adds to the list what is not in it, one process at a time.
    pub fn add(&self, folders: &[PathBuf]) -> Result<(), AddError> {
        // Released as it is closed.
        let _turn = PrivateFolder::make(&self.home)?.open_alone(LOCK)?;
        let read = self.read().map_err(|source| AddError::Read { path: self.path(), source })?;
        let mut all = read.unwrap_or_default();
        for folder in folders {
            if !all.contains(folder) {
                all.push(folder.clone());
            }
        }
        Ok(self.write(&all)?)
    }

    /// Replaces the list, durably.
    pub fn write(&self, folders: &[PathBuf]) -> Result<(), FolderError> {
        let mut text = String::new();
        for folder in folders {
            text.push_str(line(folder).ok_or_else(|| FolderError::NotAFolder(folder.clone()))?);
            text.push('\n');
        }
        PrivateFolder::make(&self.home)?.write(NAME, text.as_bytes())
    }
}

/// A path that fits on a line and comes back from it.
fn line(folder: &Path) -> Option<&str> {
    let text = folder.to_str()?;
    let fits = folder.is_absolute() && text.trim() == text && !text.contains(['\n', '\r']);
    fits.then_some(text)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::path::Path;

    use super::{Allowed, Folders};
    use crate::home::Home;
    use crate::roots::Roots;
    use crate::scratch::Scratch;

    #[test]
    fn the_environment_wins_over_the_file_and_the_file_over_the_home_folder() {
        let scratch = Scratch::new();
        let (desk, ada) = (scratch.path("desk"), scratch.path("ada"));
        let allowed = |roots: &str| {
            Allowed::from_environment(|name| match name {
                "DESKMATE_HOME" => Some(desk.clone().into_os_string()),
                "HOME" | "USERPROFILE" => Some(ada.clone().into_os_string()),
                "DESKMATE_ROOTS" => Some(OsString::from(roots)),
                _ => None,
            })
        };
        let both = |path: &Path| {
            let roots = Roots::new([path.to_owned()]);
            Allowed { local: roots.clone(), remote: roots }
        };
        let alone = Allowed { local: Roots::new([ada.clone()]), remote: Roots::none() };
        assert_eq!(allowed(""), alone);
        let home = Home::from_environment(|name| (name == "DESKMATE_HOME").then(|| desk.clone().into()));
        let folders = Folders::of(&home.expect("a home"));
        assert_eq!(folders.read().expect("no file"), None);
        let (pictures, mounted) = (scratch.path("pictures"), scratch.path("mnt"));
        folders.write(std::slice::from_ref(&pictures)).expect("written");
        assert_eq!(allowed(""), both(&pictures));
        assert_eq!(allowed(mounted.to_str().expect("text")), both(&mounted));
        fs::write(folders.path(), b"\xff").expect("a broken file");
        assert_eq!(allowed(""), Allowed::default());
        for odd in ["two\nlines", "ends in space "] {
            assert!(folders.write(&[scratch.path(odd)]).is_err(), "{odd}");
        }
        assert!(folders.write(&["relative".into()]).is_err());
    }

    #[test]
    fn no_folder_is_lost_when_many_add_one() {
        let scratch = Scratch::new();
        let home = scratch.path("desk");
        let folders = Folders { home };
        let named: Vec<_> = (0..16).map(|number| scratch.path(&number.to_string())).collect();
        std::thread::scope(|scope| {
            for folder in &named {
                scope.spawn(|| folders.add(std::slice::from_ref(folder)).expect("added"));
            }
        });
        let mut listed = folders.read().expect("readable").expect("a list");
        listed.sort();
        let mut named = named;
        named.sort();
        assert_eq!(listed, named);
        folders.add(&named).expect("nothing new");
        assert_eq!(folders.read().expect("readable").expect("a list").len(), named.len());
        fs::write(folders.path(), b"\xff").expect("a broken file");
        assert!(matches!(folders.add(&named), Err(super::AddError::Read { .. })));
    }
}
