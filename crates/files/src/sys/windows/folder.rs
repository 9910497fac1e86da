//! A folder that is open: while it is, neither it nor a folder above it gets another name.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_LOCK_VIOLATION, ERROR_SHARING_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_GENERIC_READ, FILE_GENERIC_WRITE,
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, MOVEFILE_WRITE_THROUGH, WRITE_DAC,
};

use super::{Id, final_path, is_same_path, link_error, move_file, stat};

/// Virus scanners and indexers open new files for a moment.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(10);

pub(crate) struct Folder {
    path: PathBuf,
    handle: File,
}

impl Folder {
    /// Opens a real path.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        let folder = Folder::open_chosen(path)?;
        if is_same_path(&folder.path, path) { Ok(folder) } else { Err(link_error()) }
    }

    /// Opens a path that this user chose.
    pub(crate) fn open_chosen(path: &Path) -> io::Result<Folder> {
        let mut options = OpenOptions::new();
        // Without the right to delete in what others may do, nobody can move it away.
        options
            .read(true)
            .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
        let handle = options.open(path)?;
        if !handle.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder { path: final_path(&handle)?, handle })
    }

    pub(crate) fn id(&self) -> io::Result<Id> {
        stat(&self.handle).map(|stat| stat.id())
    }

    /// Names are safe when the call that changes them returns, as far as Windows promises that at all.
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "other systems have something to do")]
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Makes a new file. Nobody else can read it as long as it is open: so others can tell it from one that a killed process left
    /// behind.
    pub(crate) fn create(&self, name: &str) -> io::Result<Option<File>> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .access_mode(FILE_GENERIC_READ | FILE_GENERIC_WRITE | DELETE | WRITE_DAC)
            // To be renamed, it must be opened again.
            .share_mode(FILE_SHARE_DELETE);
        options.open(self.path.join(name)).map(Some)
    }

    /// Opens a file that nobody uses, to see whether it may be removed.
    pub(crate) fn open_unused(&self, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).share_mode(FILE_SHARE_DELETE).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
        options.open(self.path.join(name))
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        patiently(|| fs::remove_file(self.path.join(name)))
    }

    /// Gives a file another name; what has that name gives way.
    pub(crate) fn rename(&self, from: &str, to: &OsStr) -> io::Result<()> {
        patiently(|| fs::rename(self.path.join(from), self.path.join(to)))
    }

    /// Gives a file another name, which nothing may have yet.
    pub(crate) fn rename_to_new(&self, from: &str, to: &OsStr) -> io::Result<()> {
        patiently(|| move_file(&self.path.join(from), &self.path.join(to), MOVEFILE_WRITE_THROUGH))
    }
}

/// Tries again for a moment while another program has the file open.
fn patiently(mut act: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let done = act();
        let code = done.as_ref().err().and_then(io::Error::raw_os_error).map(i32::cast_unsigned);
        match code {
            // The last is what the owner of an open file causes where names are changed the old way.
            Some(ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION | ERROR_ACCESS_DENIED)
                if Instant::now() < until =>
            {
                std::thread::sleep(PAUSE);
            }
            _ => return done,
        }
    }
}
