//! Where Deskmate keeps its state: one private folder per server.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use crate::replace::{self, NewFile};

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
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// It cannot be made, looked at or written to.
    #[error("cannot use `{}`: {source}; give this user access to it or choose another place", path.display())]
    Io {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
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
        let user = path("HOME").filter(|home| home.is_absolute()).ok_or(HomeError::Unset)?;
        Ok(Home { path: user.join(".local/share/deskmate"), chosen_by: ChosenBy::UserHome })
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

impl PrivateFolder {
    /// Makes the folder and those above it as far as they are missing. One that is there and lets others in is closed.
    pub fn make(path: &Path) -> Result<PrivateFolder, FolderError> {
        let io = |source| FolderError::Io { path: path.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(path).or_else(|error| {
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
        let user = rustix::process::geteuid().as_raw();
        if found.uid() != user {
            return Err(FolderError::ForeignOwner { path: path.to_owned(), owner: found.uid(), user });
        }
        if found.mode() & 0o077 != 0 {
            fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(io)?;
        }
        Ok(PrivateFolder { path: path.to_owned() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a file into it that only this user can read, durably and in one step; one of that name is replaced.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let io = |source| FolderError::Io { path: self.path.join(name), source };
        let folder = replace::Folder::open(&self.path).map_err(|errno| io(errno.into()))?;
        let new = NewFile::create(&folder).map_err(|errno| io(errno.into()))?;
        new.fill(bytes).map_err(io)?;
        new.rename(name.as_ref()).map_err(|errno| io(errno.into()))?;
        folder.sync().map_err(io)
    }

    /// Waits until the names of the files in it are on the disk.
    pub fn sync(&self) -> Result<(), FolderError> {
        let io = |source| FolderError::Io { path: self.path.clone(), source };
        replace::Folder::open(&self.path).map_err(|errno| io(errno.into()))?.sync().map_err(io)
    }

    /// Opens a file in it for this process alone, as far as all go this way: others wait until it is closed, or until
    /// [`unlock`](crate::unlock). One that is not there is made, empty.
    pub fn open_alone(&self, name: &str) -> Result<File, FolderError> {
        let io = |errno: Errno| FolderError::Io { path: self.path.join(name), source: errno.into() };
        let file = self.open_or_make(name).map_err(io)?;
        rustix::io::retry_on_intr(|| flock(&file, FlockOperation::LockExclusive)).map_err(io)?;
        Ok(file)
    }

    /// The same without waiting: nothing where another process has the file.
    pub fn try_open_alone(&self, name: &str) -> Result<Option<File>, FolderError> {
        let io = |errno: Errno| FolderError::Io { path: self.path.join(name), source: errno.into() };
        let file = self.open_or_make(name).map_err(io)?;
        match rustix::io::retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => Ok(Some(file)),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(errno) => Err(io(errno)),
        }
    }

    fn open_or_make(&self, name: &str) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        rustix::fs::open(self.path.join(name), flags, Mode::RUSR | Mode::WUSR).map(File::from)
    }
}

/// Lets others have a file that [`open_alone`](PrivateFolder::open_alone) opened.
pub fn unlock(file: &File) -> io::Result<()> {
    Ok(flock(file, FlockOperation::Unlock)?)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::Path;

    use rustix::fs::{FlockOperation, flock};

    use super::{ChosenBy, FolderError, Home, HomeError, PrivateFolder, unlock};
    use crate::scratch::Scratch;

    fn home(variables: &[(&str, &str)]) -> Result<(String, ChosenBy), HomeError> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        Home::from_environment(variable).map(|home| (home.path().display().to_string(), home.chosen_by()))
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").mode() & 0o777
    }

    #[test]
    fn our_own_variable_comes_first_then_xdg_then_home() {
        let all = [("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data"), ("DESKMATE_HOME", "/desk")];
        assert_eq!(home(&all), Ok(("/desk".into(), ChosenBy::DeskmateHome)));
        assert_eq!(home(&all[..2]), Ok(("/data/deskmate".into(), ChosenBy::XdgDataHome)));
        assert_eq!(home(&all[..1]), Ok(("/home/ada/.local/share/deskmate".into(), ChosenBy::UserHome)));
        assert_eq!(home(&[]), Err(HomeError::Unset));
    }

    #[test]
    fn relative_and_empty_paths_choose_nothing() {
        let user = ("HOME", "/home/ada");
        assert_eq!(home(&[user, ("DESKMATE_HOME", "desk")]), Err(HomeError::Relative("desk".into())));
        let from_home = Ok(("/home/ada/.local/share/deskmate".into(), ChosenBy::UserHome));
        assert_eq!(home(&[user, ("DESKMATE_HOME", "")]), from_home);
        assert_eq!(home(&[user, ("XDG_DATA_HOME", "data")]), from_home);
    }

    #[test]
    fn a_private_folder_is_made_and_closed_to_others() {
        let scratch = Scratch::new();
        let path = scratch.path("state/server");
        PrivateFolder::make(&path).expect("made");
        assert_eq!(mode(&path), 0o700);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("opened to others");
        PrivateFolder::make(&path).expect("there");
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn links_files_and_folders_of_others_are_refused() {
        let scratch = Scratch::new();
        scratch.file("file", b"");
        fs::create_dir(scratch.path("real")).expect("a folder");
        symlink(scratch.path("real"), scratch.path("link")).expect("a link");
        assert!(matches!(PrivateFolder::make(&scratch.path("link")), Err(FolderError::Link(_))));
        assert!(matches!(PrivateFolder::make(&scratch.path("file")), Err(FolderError::NotAFolder(_))));
        assert!(matches!(PrivateFolder::make(&scratch.path("file/below")), Err(FolderError::Io { .. })));
        let foreign = if rustix::process::geteuid().is_root() {
            let path = scratch.path("foreign");
            fs::create_dir(&path).expect("a folder");
            std::os::unix::fs::chown(&path, Some(12_345), None).expect("given away");
            path
        } else {
            "/".into()
        };
        assert!(matches!(PrivateFolder::make(&foreign), Err(FolderError::ForeignOwner { .. })));
    }

    #[test]
    fn a_file_in_it_is_private_and_replaced_as_a_whole() {
        let scratch = Scratch::new();
        let folder = PrivateFolder::make(&scratch.path("state")).expect("made");
        folder.write("a", b"first").expect("written");
        folder.write("a", b"second").expect("replaced");
        let path = folder.path().join("a");
        assert_eq!(fs::read(&path).expect("there"), b"second");
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_file_is_open_for_one_at_a_time() {
        let scratch = Scratch::new();
        let folder = PrivateFolder::make(&scratch.path("state")).expect("made");
        let first = folder.open_alone("a").expect("opened");
        assert_eq!(mode(&folder.path().join("a")), 0o600);
        let taken = || {
            let file = fs::File::open(folder.path().join("a")).expect("there");
            flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
        };
        assert!(taken());
        unlock(&first).expect("unlocked");
        assert!(!taken());
        symlink(folder.path().join("a"), folder.path().join("link")).expect("a link");
        assert!(folder.open_alone("link").is_err());
    }
}
