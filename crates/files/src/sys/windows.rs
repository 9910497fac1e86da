//! Windows: handles, access control lists, and locks that keep no file from being replaced.
#![allow(unsafe_code, reason = "system calls that have no safe form")]

pub mod account;
mod attributes;
mod folder;
mod locks;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle};
use std::path::{Path, PathBuf};
use std::ptr;
use std::time::{Duration, SystemTime};

use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    CREATE_NEW, CreateDirectoryW, CreateFileW, FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_TEMPORARY, FILE_BASIC_INFO, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_DELETE_ON_CLOSE,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FILE_NAME_NORMALIZED,
    FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_STANDARD_INFO,
    FILE_TYPE_DISK, FileBasicInfo, FileIdInfo, FileStandardInfo, GetFileInformationByHandleEx, GetFileType,
    GetFinalPathNameByHandleW, MoveFileExW, READ_CONTROL, WRITE_DAC,
};
use windows_sys::Win32::System::Com::CoTaskMemFree;
use windows_sys::Win32::UI::Shell::{FOLDERID_LocalAppData, FOLDERID_Profile, SHGetKnownFolderPath};
use windows_sys::core::GUID;

use super::drives::{self, Start};
use super::{EntriesError, Entry};
use crate::home::FolderError;
use crate::replace::random_name;
use account::{Descriptor, Sid};

pub(crate) use attributes::{copy_access, copy_all};
pub(crate) use folder::Folder;
pub(crate) use locks::{Held, lock, take_turn, try_lock, unlock};

/// How absolute paths begin.
pub(crate) const ROOT: &str = r"C:\";
/// What is between the paths of a list.
pub(crate) const SEPARATORS: &str = "semicolons";

/// A file that somebody has open cannot be replaced on every file system, and that somebody must not be us.
pub(crate) const KEEPS_OPEN: bool = false;

const SHARED: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// What tells a file from all others: its volume and its number there.
pub(crate) type Id = (u64, [u8; 16]);

/// What the system knows about a file.
#[derive(Debug, Clone)]
pub(crate) struct Stat {
    id: Id,
    size: u64,
    names: u64,
    is_folder: bool,
    is_link: bool,
    /// In units of 100 ns since 1601.
    modified: i64,
    changed: i64,
}

impl Stat {
    pub(crate) fn is_regular(&self) -> bool {
        !self.is_folder && !self.is_link
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn names(&self) -> u64 {
        self.names
    }

    pub(crate) fn id(&self) -> Id {
        self.id
    }

    /// Whether nobody touched the file between two looks. The time of the last change tells of writes that put the time of
    /// modification back.
    pub(crate) fn is_same(&self, other: &Stat) -> bool {
        let key = |stat: &Stat| (stat.id, stat.size, stat.modified, stat.changed, stat.is_link);
        key(self) == key(other)
    }
}

pub(crate) fn stat(file: &File) -> io::Result<Stat> {
    let basic: FILE_BASIC_INFO = info(file, FileBasicInfo)?;
    let standard: FILE_STANDARD_INFO = info(file, FileStandardInfo)?;
    let id: FILE_ID_INFO = info(file, FileIdInfo)?;
    Ok(Stat {
        id: (id.VolumeSerialNumber, id.FileId.Identifier),
        size: u64::try_from(standard.EndOfFile).unwrap_or_default(),
        names: u64::from(standard.NumberOfLinks),
        is_folder: standard.Directory,
        is_link: is_link(file, &basic),
        modified: basic.LastWriteTime,
        changed: basic.ChangeTime,
    })
}

/// A file that is kept elsewhere, and fetched when it is read, is a reparse point, too, but no link.
fn is_link(file: &File, basic: &FILE_BASIC_INFO) -> bool {
    basic.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT != 0
        && file.metadata().is_ok_and(|found| found.is_symlink())
}

/// A structure that the class makes the system fill; all its fields are plain numbers.
fn info<T: Default>(file: &File, class: FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    let mut found = T::default();
    // SAFETY: the pointer leads to as many bytes as is said, and every caller names the class of its type.
    let told = unsafe {
        GetFileInformationByHandleEx(
            file.as_raw_handle(),
            class,
            (&raw mut found).cast(),
            size_of::<T>() as u32,
        )
    };
    if told == 0 { Err(io::Error::last_os_error()) } else { Ok(found) }
}

/// Looks at a path; a link is itself, and not what it leads to.
pub(crate) fn stat_at(path: &Path) -> io::Result<Stat> {
    let mut options = OpenOptions::new();
    options
        .access_mode(FILE_READ_ATTRIBUTES)
        .share_mode(SHARED)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    stat(&options.open(path)?)
}

/// Sets the time of modification to that of another file.
pub(crate) fn set_modified(file: &File, like: &Stat) -> io::Result<()> {
    /// Between 1601 and 1970, in seconds.
    const EPOCHS: u64 = 11_644_473_600;
    let ticks = u64::try_from(like.modified).unwrap_or_default();
    let since =
        Duration::new(ticks / 10_000_000, u32::try_from(ticks % 10_000_000).unwrap_or_default() * 100);
    let time = (SystemTime::UNIX_EPOCH - Duration::from_secs(EPOCHS)) + since;
    file.set_times(FileTimes::new().set_modified(time))
}

/// Where an open file is, without links and without a prefix.
fn final_path(file: &File) -> io::Result<PathBuf> {
    let mut room = vec![0_u16; 512];
    loop {
        let length = u32::try_from(room.len()).unwrap_or(u32::MAX);
        // SAFETY: the buffer has as many units as is said.
        let needed = unsafe {
            GetFinalPathNameByHandleW(file.as_raw_handle(), room.as_mut_ptr(), length, FILE_NAME_NORMALIZED)
        };
        match needed as usize {
            0 => return Err(io::Error::last_os_error()),
            // A path has no more than 32,767 units.
            more if more > room.len() && more <= 1 << 16 => room.resize(more, 0),
            length => {
                return Ok(without_prefix(&OsString::from_wide(room.get(..length).unwrap_or_default())));
            }
        }
    }
}

fn without_prefix(path: &std::ffi::OsStr) -> PathBuf {
    match path.to_str() {
        Some(text) => drives::without_prefix(text).into(),
        // It works with the prefix as well.
        None => path.into(),
    }
}

fn is_same_path(one: &Path, other: &Path) -> bool {
    one == other || without_prefix(one.as_os_str()) == without_prefix(other.as_os_str())
}

/// What is said where a link was put in the way of a real path.
fn link_error() -> io::Error {
    io::Error::other(LinkInTheWay)
}

#[derive(Debug, thiserror::Error)]
#[error("a link was put in its way")]
struct LinkInTheWay;

/// Opens a real path. A link anywhere in it was put there after it was resolved; what it leads to is not touched.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // The flag lets folders be opened, too, so that they can be told from files that may not be read.
    let file = options.share_mode(SHARED).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
    // SAFETY: the handle is open.
    let is_on_disk = unsafe { GetFileType(file.as_raw_handle()) } == FILE_TYPE_DISK;
    if is_on_disk && is_same_path(&final_path(&file)?, path) { Ok(file) } else { Err(link_error()) }
}

pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true))
}

pub(crate) fn open_to_write(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().write(true))
}

pub(crate) fn open_to_change(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).write(true))
}

/// The disk begins when it likes.
pub(crate) fn write_back(_: &File, _: u64, _: u64) {}

/// Whether there was something else than a file or a folder.
pub(crate) fn is_special(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<LinkInTheWay>())
}

pub(crate) fn check_writable(path: &Path) -> io::Result<()> {
    open_to_write(path).map(drop)
}

/// Whether this path may be looked at without consequences: it names a file or a folder and nothing else, and neither it nor a link on
/// the way leads to another machine, unless a root is there. To look at a share is to tell that machine who we are.
pub(crate) fn may_be_touched(path: &Path, roots: &[PathBuf]) -> bool {
    let may = |start: &Start<'_>| match start {
        Start::Drive(_) => true,
        Start::Share { .. } => {
            let is_there =
                |root: &Path| drives::start(&root.to_string_lossy()).is_ok_and(|root| root.is(start));
            // A root may be a link itself: who chose it chose where it leads.
            roots.iter().any(|root| is_there(root) || real_path(root).is_ok_and(|real| is_there(&real)))
        }
    };
    let link = |way: &str| fs::read_link(way).ok().map(|target| target.to_string_lossy().into_owned());
    drives::may_go(&path.to_string_lossy(), may, link)
}

/// The path without links, as it is written on the disk, and without a prefix.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let real = without_prefix(fs::canonicalize(path)?.as_os_str());
    // Without its prefix, a name that Windows would interpret leads elsewhere.
    match drives::start(&real.to_string_lossy()) {
        Ok(_) => Ok(real),
        Err(_) => Err(io::ErrorKind::InvalidFilename.into()),
    }
}

/// What is in a folder, links left out.
pub(crate) fn entries(path: &Path, limit: usize) -> Result<Vec<Entry>, EntriesError> {
    // It keeps its name until this is done.
    let _folder = Folder::open(path)?;
    let mut found = Vec::new();
    for (count, entry) in fs::read_dir(path)?.enumerate() {
        let entry = entry?;
        if count >= limit {
            return Err(EntriesError::TooMany);
        }
        let kind = entry.file_type()?;
        if kind.is_file() || kind.is_dir() {
            found.push(Entry { name: entry.file_name(), is_folder: kind.is_dir() });
        }
    }
    Ok(found)
}

/// Whether a file belongs to this user.
pub(crate) fn is_own(file: &File) -> bool {
    Descriptor::of(file.as_handle()).and_then(|found| found.owner()).is_ok_and(|owner| is_us(&owner))
}

fn is_us(owner: &Sid) -> bool {
    [Sid::of_this_user(), Sid::of_new_things()].into_iter().any(|us| us.is_ok_and(|us| us == *owner))
}

/// Makes a folder for this user alone, and those above it as far as they are missing.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    let descriptor = Descriptor::of_this_user_alone()?;
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.is_dir()).collect();
    for folder in missing.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
        let attributes = descriptor.attributes();
        let name = wide(folder);
        // SAFETY: the name ends in a zero, and the descriptor lives.
        let made = unsafe { CreateDirectoryW(name.as_ptr(), &raw const attributes) };
        // Somebody else may just have made it.
        if made == 0 && !folder.is_dir() {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Checks that a folder belongs to this user, and lets nobody else into it.
pub(crate) fn close_to_others(path: &Path) -> Result<(), FolderError> {
    let io = |source| FolderError::Io { path: path.to_owned(), source };
    let mut options = OpenOptions::new();
    options
        .access_mode(READ_CONTROL | WRITE_DAC)
        .share_mode(SHARED)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    let folder = options.open(path).map_err(io)?;
    let found = Descriptor::of(folder.as_handle()).map_err(io)?;
    let owner = found.owner().map_err(io)?;
    if !is_us(&owner) {
        let user = Sid::of_this_user().map_err(io)?;
        return Err(FolderError::ForeignOwner {
            path: path.to_owned(),
            owner: owner.to_string(),
            user: user.to_string(),
        });
    }
    if found.lets_others_in().map_err(io)? {
        Descriptor::of_this_user_alone().and_then(|alone| alone.apply(folder.as_handle())).map_err(io)?;
    }
    Ok(())
}

/// Opens a file in a private folder, or makes it. What is in the folder is for whom the folder is for.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).share_mode(SHARED);
    refuse_link(options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)?)
}

/// Takes everybody else's rights from a file.
pub(crate) fn close_file_to_others(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().access_mode(READ_CONTROL | WRITE_DAC).share_mode(SHARED).open(path)?;
    Descriptor::of_this_user_alone()?.apply(file.as_handle())
}

/// Makes a file that is not there yet, for this user alone.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let descriptor = Descriptor::of_this_user_alone()?;
    let (attributes, name) = (descriptor.attributes(), wide(path));
    // SAFETY: the name ends in a zero, and the descriptor lives.
    let file = unsafe {
        CreateFileW(
            name.as_ptr(),
            GENERIC_READ | GENERIC_WRITE,
            SHARED,
            &raw const attributes,
            CREATE_NEW,
            FILE_ATTRIBUTE_NORMAL,
            ptr::null_mut(),
        )
    };
    if file == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle was just made for us.
    Ok(unsafe { File::from_raw_handle(file) })
}

fn refuse_link(file: File) -> io::Result<File> {
    if file.metadata()?.is_symlink() { Err(link_error()) } else { Ok(file) }
}

/// Names are safe when the call that changes them returns, as far as Windows promises that at all.
#[allow(clippy::unnecessary_wraps, reason = "on other systems it can fail")]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A path as bytes that stay the same from version to version: UTF-16, low byte first.
pub(crate) fn encode_path(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(path.as_os_str().encode_wide().flat_map(u16::to_le_bytes).collect())
}

pub(crate) fn decode_path(bytes: &[u8]) -> Option<PathBuf> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    rest.is_empty().then(|| OsString::from_wide(&units).into())
}

/// Where programs of this user keep their state on this machine. Clients do not always pass the variable on.
pub(crate) fn state_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("LOCALAPPDATA")
        .or_else(|| known_folder(&FOLDERID_LocalAppData))
        .map(|folder| folder.join("Deskmate"))
}

/// The home folder of this user.
pub(crate) fn home_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("USERPROFILE").or_else(|| known_folder(&FOLDERID_Profile))
}

fn known_folder(id: &GUID) -> Option<PathBuf> {
    let mut text = ptr::null_mut();
    // SAFETY: the pointers are valid; the text is freed below, whether or not the call succeeds.
    let status = unsafe { SHGetKnownFolderPath(id, 0, ptr::null_mut(), &raw mut text) };
    let found = (status == 0 && !text.is_null()).then(|| {
        // SAFETY: it is a text that ends in a zero.
        let units = unsafe {
            let length = (0..).take_while(|at| *text.add(*at) != 0).count();
            std::slice::from_raw_parts(text, length)
        };
        PathBuf::from(OsString::from_wide(units))
    });
    // SAFETY: the call above made it, or left it null.
    unsafe { CoTaskMemFree(text.cast_const().cast()) };
    found
}

/// A file that goes when its last handle does. Other programs can open it by its name meanwhile, if they are this user's.
pub(crate) fn unnamed(folder: &Path) -> io::Result<File> {
    loop {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(true)
            .create_new(true)
            .share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE)
            .attributes(FILE_ATTRIBUTE_TEMPORARY)
            .custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
        match options.open(folder.join(random_name())) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened,
        }
    }
}

fn move_file(from: &Path, to: &Path, flags: u32) -> io::Result<()> {
    let (from, to) = (wide(from), wide(to));
    // SAFETY: both names end in a zero.
    let moved = unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), flags) };
    if moved == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A path as Windows takes it. Long ones need the prefix.
fn wide(path: &Path) -> Vec<u16> {
    /// What Windows takes without it, and some room for a name.
    const SHORT: usize = 240;
    let prefix = match path.to_str() {
        Some(text) if text.len() > SHORT => match drives::start(text) {
            Ok(Start::Drive(_)) if !text.contains('/') && !text.starts_with(r"\\?\") => r"\\?\",
            _ => "",
        },
        _ => "",
    };
    prefix.encode_utf16().chain(path.as_os_str().encode_wide()).chain([0]).collect()
}

/// Whether others than this user can use what is at a path.
pub(crate) fn is_open_to_others(path: &Path) -> io::Result<bool> {
    descriptor_of(path)?.lets_others_in()
}

pub(crate) fn is_own_path(path: &Path) -> io::Result<bool> {
    descriptor_of(path)?.owner().map(|owner| is_us(&owner))
}

fn descriptor_of(path: &Path) -> io::Result<Descriptor> {
    let mut options = OpenOptions::new();
    options.access_mode(READ_CONTROL).share_mode(SHARED).custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
    Descriptor::of(options.open(path)?.as_handle())
}

/// Makes a symbolic link.
#[cfg(test)]
pub(crate) fn link(target: impl AsRef<Path>, path: impl AsRef<Path>) {
    use std::os::windows::fs::{symlink_dir, symlink_file};
    let made = if target.as_ref().is_dir() { symlink_dir(target, path) } else { symlink_file(target, path) };
    made.expect("a link");
}
