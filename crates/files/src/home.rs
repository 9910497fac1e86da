//! Where Deskmate keeps its state: one private folder per server.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::leftovers;
use crate::replace::NewFile;
use crate::sys::{self, Folder};

/// The folder that holds the folders of the servers. Nothing is looked up or made before one of them is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    chosen_by: ChosenBy,
}

/// What decided where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// The variable `DESKMATE_HOME`.
    DeskmateHome,
    /// The variable `XDG_DATA_HOME`.
    XdgDataHome,
    /// The home folder.
    UserHome,
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    /// The variable made for it has a relative path, which would mean another folder in every process.
    #[error("`DESKMATE_HOME` is not an absolute path: `{}`; set it to a path that starts at the root, or unset it", .0.display())]
    Relative(PathBuf),
    /// No variable says where.
    #[error(
        "none of `DESKMATE_HOME`, `XDG_DATA_HOME` and `HOME` is set to an absolute path; set `DESKMATE_HOME` to the \
         folder Deskmate should keep its state in"
    )]
    Unset,
}

/// A folder that only its owner, this user, can enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateFolder {
    path: PathBuf,
}

/// Why a folder cannot be used for private things.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is a link, which somebody could turn to another place.
    #[error("`{}` is a symbolic link; name the folder it leads to instead", .0.display())]
    Link(PathBuf),
    /// It is a file, a pipe or the like.
    #[error("`{}` is not a folder; move it away or choose another place", .0.display())]
    NotAFolder(PathBuf),
    /// Its owner could read what is in it, and change it.
    #[error("`{}` belongs to user {owner}, not to this one ({user}); choose a folder of your own", path.display())]
    ForeignOwner {
        /// The folder.
        path: PathBuf,
        /// Whose it is.
        owner: String,
        /// Who we are.
        user: String,
    },
    /// It cannot be made, looked at or written to.
    #[error("cannot use `{}`: {source}; {}", path.display(), what_helps(source))]
    Io {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

fn what_helps(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk",
        _ => "give this user access to it or choose another place",
    }
}

impl Home {
    /// Finds it from the variables of the environment.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Home, HomeError> {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(own) = path("DESKMATE_HOME") {
            if own.is_absolute() {
                return Ok(Home { path: own, chosen_by: ChosenBy::DeskmateHome });
            }
            return Err(HomeError::Relative(own));
        }
        // The XDG specification says to ignore a relative path.
        if let Some(data) = path("XDG_DATA_HOME").filter(|data| data.is_absolute()) {
            return Ok(Home { path: data.join("deskmate"), chosen_by: ChosenBy::XdgDataHome });
        }
        let own = sys::state_folder(|name| path(name).filter(|home| home.is_absolute()));
        Ok(Home { path: own.ok_or(HomeError::Unset)?, chosen_by: ChosenBy::UserHome })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What decided that.
    pub fn chosen_by(&self) -> ChosenBy {
        self.chosen_by
    }

    /// Where the folder of a server is, or would be.
    pub fn path_of(&self, server: &str) -> PathBuf {
        self.path.join(server)
    }

    /// The folder of a server, made if it is not there.
    pub fn folder(&self, server: &str) -> Result<PrivateFolder, FolderError> {
        PrivateFolder::make(&self.path_of(server))
    }
}

/// The home folder of this person; on Windows, the system knows it where no variable says so.
pub fn person_home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    sys::home_folder(|name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute()))
}

/// Where programs of this person keep their state unless somebody says otherwise.
pub fn person_state(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    sys::state_folder(|name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute()))
}

impl PrivateFolder {
    /// Makes the folder and those above it as far as they are missing. One that is there and lets others in is closed.
    pub fn make(path: &Path) -> Result<PrivateFolder, FolderError> {
        let io = |source| FolderError::Io { path: path.to_owned(), source };
        sys::make_private(path).or_else(|error| {
            // What is wrong with it is told below, in better words.
            if fs::symlink_metadata(path).is_ok() { Ok(()) } else { Err(io(error)) }
        })?;
        PrivateFolder::open(path)
    }

    /// The folder that is there already.
    pub fn open(path: &Path) -> Result<PrivateFolder, FolderError> {
        let io = |source| FolderError::Io { path: path.to_owned(), source };
        let found = fs::symlink_metadata(path).map_err(io)?;
        if found.is_symlink() {
            return Err(FolderError::Link(path.to_owned()));
        }
        if !found.is_dir() {
            return Err(FolderError::NotAFolder(path.to_owned()));
        }
        sys::close_to_others(path)?;
        Ok(PrivateFolder { path: path.to_owned() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a file into it that only this user can read, durably and in one step; one of that name is replaced.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let io = |source| FolderError::Io { path: self.path.join(name), source };
        let folder = Folder::open_chosen(&self.path).map_err(io)?;
        leftovers::sweep(&folder, Some(&self.path));
        let new = NewFile::create(&folder).map_err(io)?;
        new.fill(bytes).map_err(io)?;
        new.rename(name.as_ref()).map_err(io)?;
        folder.sync().map_err(io)
    }

    /// Removes the files of [`write`](PrivateFolder::write) that never got their names, since a process was killed. Done before the
    /// first one is written, too.
    pub fn remove_leftovers(&self) {
        if let Ok(folder) = Folder::open_chosen(&self.path) {
            leftovers::sweep(&folder, Some(&self.path));
        }
    }

    /// Waits until the names of the files in it are on the disk.
    pub fn sync(&self) -> Result<(), FolderError> {
        let io = |source| FolderError::Io { path: self.path.clone(), source };
        Folder::open_chosen(&self.path).map_err(io)?.sync().map_err(io)
    }

    /// Opens a file in it for this process alone, as far as all go this way: others wait until it is closed, or until
    /// [`unlock`](crate::unlock). One that is not there is made, empty.
    pub fn open_alone(&self, name: &str) -> Result<File, FolderError> {
        let io = |source| FolderError::Io { path: self.path.join(name), source };
        let file = sys::open_or_create(&self.path.join(name)).map_err(io)?;
        sys::lock(&file).map_err(io)?;
        Ok(file)
    }

    /// The same without waiting: nothing where another process has the file.
    pub fn try_open_alone(&self, name: &str) -> Result<Option<File>, FolderError> {
        let io = |source| FolderError::Io { path: self.path.join(name), source };
        let file = sys::open_or_create(&self.path.join(name)).map_err(io)?;
        match sys::try_lock(&file) {
            Ok(()) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(io(error)),
        }
    }
}

/// Lets others have a file that [`open_alone`](PrivateFolder::open_alone) opened.
pub fn unlock(file: &File) -> io::Result<()> {
    sys::unlock(file)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::path::Path;

    use super::{ChosenBy, FolderError, Home, HomeError, PrivateFolder, unlock};
    use crate::scratch::Scratch;
    use crate::sys::{self, is_private, link};

    fn home(variables: &[(&str, &Path)]) -> Result<Home, HomeError> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        Home::from_environment(variable)
    }

    #[test]
    fn our_own_variable_comes_first_then_xdg() {
        let (desk, data) = (std::env::temp_dir().join("desk"), std::env::temp_dir().join("data"));
        let all = [("XDG_DATA_HOME", data.as_path()), ("DESKMATE_HOME", desk.as_path())];
        assert_eq!(home(&all), Ok(Home { path: desk.clone(), chosen_by: ChosenBy::DeskmateHome }));
        let by_xdg = Home { path: data.join("deskmate"), chosen_by: ChosenBy::XdgDataHome };
        assert_eq!(home(&all[..1]), Ok(by_xdg));
    }

    #[test]
    fn relative_and_empty_paths_choose_nothing() {
        let data = std::env::temp_dir();
        let by_xdg = Ok(Home { path: data.join("deskmate"), chosen_by: ChosenBy::XdgDataHome });
        let xdg = ("XDG_DATA_HOME", data.as_path());
        let relative = home(&[xdg, ("DESKMATE_HOME", "desk".as_ref())]);
        assert_eq!(relative, Err(HomeError::Relative("desk".into())));
        assert_eq!(home(&[xdg, ("DESKMATE_HOME", "".as_ref())]), by_xdg);
    }

    #[test]
    fn a_private_folder_is_made_for_this_user_alone() {
        let scratch = Scratch::new();
        let path = scratch.path("state/server");
        PrivateFolder::make(&path).expect("made");
        assert!(is_private(&path));
        PrivateFolder::make(&path).expect("there");
    }

    #[test]
    fn links_and_files_are_no_private_folders() {
        let scratch = Scratch::new();
        scratch.file("file", b"");
        fs::create_dir(scratch.path("real")).expect("a folder");
        link(scratch.path("real"), scratch.path("link"));
        assert!(matches!(PrivateFolder::make(&scratch.path("link")), Err(FolderError::Link(_))));
        assert!(matches!(PrivateFolder::make(&scratch.path("file")), Err(FolderError::NotAFolder(_))));
        assert!(matches!(PrivateFolder::make(&scratch.path("file/below")), Err(FolderError::Io { .. })));
    }

    #[test]
    fn a_file_in_it_is_private_and_replaced_as_a_whole() {
        let scratch = Scratch::new();
        let folder = PrivateFolder::make(&scratch.path("state")).expect("made");
        folder.write("a", b"first").expect("written");
        folder.write("a", b"second").expect("replaced");
        let path = folder.path().join("a");
        assert_eq!(fs::read(&path).expect("there"), b"second");
        assert!(is_private(&path));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_in_it_goes_with_the_first_file_that_is_written() {
        let scratch = Scratch::new();
        let left = |name: &str| {
            let folder = PrivateFolder::make(&scratch.path(name)).expect("made");
            let path = folder.path().join(".deskmate-0123456789abcdef.tmp");
            fs::write(&path, b"half").expect("written");
            (folder, path)
        };
        let (folder, path) = left("state");
        folder.write("a", b"whole").expect("written");
        assert!(!path.exists());
        let (folder, path) = left("other");
        folder.remove_leftovers();
        assert!(!path.exists());
    }

    #[test]
    fn a_file_is_open_for_one_at_a_time() {
        let scratch = Scratch::new();
        let folder = PrivateFolder::make(&scratch.path("state")).expect("made");
        let first = folder.open_alone("a").expect("opened");
        assert!(is_private(&folder.path().join("a")));
        let taken = || sys::try_lock(&fs::File::open(folder.path().join("a")).expect("there")).is_err();
        assert!(taken());
        assert!(folder.try_open_alone("a").expect("looked").is_none());
        unlock(&first).expect("unlocked");
        assert!(!taken());
        link(folder.path().join("a"), folder.path().join("link"));
        assert!(folder.open_alone("link").is_err());
    }
}
