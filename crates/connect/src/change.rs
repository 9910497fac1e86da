//! One change of one file: planned first, so that it can be shown, and then done so that a crash leaves the old file or the
//! new one, and the backup.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use files::{OpenError, Original, Place, ReplaceError, ResolveError, Roots};

use crate::client::Client;
use crate::diff;
use crate::document::{self, EditError, Found};
use crate::entry::Entry;

/// More than any client's configuration has.
const MOST_BYTES: u64 = 64 << 20;

/// What a plan does to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The entry is added.
    Add,
    /// The entry is brought up to date.
    Update,
    /// The entry is as it should be, or is not there: nothing is done.
    Nothing,
    /// The file becomes what it was before the entry was added, byte for byte.
    Restore,
    /// The entry is taken out, because the file was changed since it was added.
    Remove,
    /// The file is taken away, because there was none before.
    Delete,
}

/// A change that was worked out and not yet made.
pub struct Plan {
    /// What it does.
    pub action: Action,
    /// The file, as it is named.
    pub path: PathBuf,
    old: Option<(Original, String)>,
    new: Option<String>,
    /// Whether the file has an entry of ours already: then a backup is from before that one.
    is_connected: bool,
    /// What is no secret where the entry changes: its name, what it starts, and what we write.
    known: Vec<String>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file cannot be found or reached.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// It cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It is no text.
    #[error("`{}` is not UTF-8 text; it was left as it is", .0.display())]
    NotText(PathBuf),
    /// It is a link without a file behind it.
    #[error("`{}` is a link that leads nowhere; correct it, or remove it", .0.display())]
    DeadLink(PathBuf),
    /// Its backup is a link: whoever put it there decides what would be written or removed.
    #[error(transparent)]
    Backup(#[from] BackupLink),
    /// It may not be written.
    #[error("`{}` is read-only; make it writable, or add the entry by hand, as `--print` shows it", .0.display())]
    ReadOnly(PathBuf),
    /// It cannot be changed.
    #[error("`{}`, {source}; the file was left as it is", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// Why.
        source: EditError,
    },
    /// The entry of that name is somebody else's.
    #[error("the entry `{name}` in `{}` does not start Deskmate; it was left as it is", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// The entry.
        name: String,
    },
}

/// A backup that is a link. We make none.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is a link, and not a backup that was made here; remove it", .0.display())]
pub struct BackupLink(PathBuf);

/// Why a change was not made, or not finished.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The folder of the file cannot be made.
    #[error("cannot make the folder `{}`: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The folder cannot be reached.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The backup cannot be looked at.
    #[error("the backup: {0}")]
    Backup(#[from] OpenError),
    /// The backup is a link.
    #[error(transparent)]
    BackupLink(#[from] BackupLink),
    /// The file or its backup cannot be written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// Why a change was not taken back.
#[derive(Debug, thiserror::Error)]
pub enum RevertError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] PlanError),
    /// It cannot be written.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// Somebody else wrote it.
    #[error("`{}` was changed by another program meanwhile", .0.display())]
    Changed(PathBuf),
}

/// Works out how to add an entry, or how to bring it up to date.
pub fn plan_connect(client: &Client, path: &Path, entry: &Entry) -> Result<Plan, PlanError> {
    let old = read(path)?;
    let text = old.as_ref().map_or(client.preamble, |(_, text)| text.as_str());
    let edit = |source| PlanError::Edit { path: path.to_owned(), source };
    let found = document::look(text, client.dialect, &entry.name).map_err(edit)?;
    let new = document::enter(text, client.dialect, entry).map_err(edit)?;
    let mut known = known_of(client, &entry.name, &entry.command);
    known.extend(entry.arguments.iter().cloned());
    known.extend(entry.variables.iter().flat_map(|(name, value)| [name.clone(), value.clone()]));
    known.extend(found.as_ref().map(|found| found.command.clone()));
    let action = match (found, &old) {
        (Some(_), Some((_, old))) if *old == new => Action::Nothing,
        (Some(_), _) => Action::Update,
        (None, _) => Action::Add,
    };
    if let (Some((original, _)), Action::Add | Action::Update) = (&old, action)
        && original.check_writable().is_err()
    {
        return Err(PlanError::ReadOnly(path.to_owned()));
    }
    if let Some((original, _)) = &old {
        own_backup_of(original.path())?;
    }
    let is_connected =
        !document::look_for_program(text, client.dialect, entry.program()).map_err(edit)?.is_empty();
    Ok(Plan { action, path: path.to_owned(), old, new: Some(new), is_connected, known })
}

/// Works out how to take the entry of this name out.
pub fn plan_disconnect(client: &Client, path: &Path, name: &str, program: &str) -> Result<Plan, PlanError> {
    let nothing = |old| Plan {
        action: Action::Nothing,
        path: path.to_owned(),
        old,
        new: None,
        is_connected: false,
        known: Vec::new(),
    };
    let Some((original, text)) = read(path)? else { return Ok(nothing(None)) };
    let edit = |source| PlanError::Edit { path: path.to_owned(), source };
    let Some(found) = document::look(&text, client.dialect, name).map_err(edit)? else {
        return Ok(nothing(Some((original, text))));
    };
    if !found.starts(program) {
        return Err(PlanError::NotOurs { path: path.to_owned(), name: name.to_owned() });
    }
    if original.check_writable().is_err() {
        return Err(PlanError::ReadOnly(path.to_owned()));
    }
    let known = known_of(client, name, &found.command);
    let entry = entry_of(name, found);
    // A backup that has an older entry of ours is no way out: the app would still start it.
    let has_none =
        |before: &str| document::look(before, client.dialect, name).is_ok_and(|found| found.is_none());
    let makes = |before: &str| {
        has_none(before) && document::enter(before, client.dialect, &entry).is_ok_and(|after| after == text)
    };
    let backup = read(&own_backup_of(original.path())?)?.map(|(_, text)| text);
    let (action, new) = match backup {
        Some(before) if makes(&before) => (Action::Restore, Some(before)),
        None if makes(client.preamble) => (Action::Delete, None),
        _ => (Action::Remove, Some(document::leave(&text, client.dialect, name).map_err(edit)?)),
    };
    Ok(Plan { action, path: path.to_owned(), old: Some((original, text)), new, is_connected: true, known })
}

/// What may be shown of an entry, as words of the file. TOML has its name behind a dot.
fn known_of(client: &Client, name: &str, command: &str) -> Vec<String> {
    vec![name.to_owned(), format!("{}.{name}", client.dialect.servers()), command.to_owned()]
}

fn entry_of(name: &str, found: Found) -> Entry {
    Entry {
        name: name.to_owned(),
        command: found.command,
        arguments: found.arguments,
        variables: found.variables,
    }
}

/// Where the file is kept as it was before the entry was added.
pub fn backup_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().map(OsString::from).unwrap_or_default();
    name.push(".before-deskmate");
    file.with_file_name(name)
}

/// The same, unless a link is there.
fn own_backup_of(file: &Path) -> Result<PathBuf, BackupLink> {
    let path = backup_of(file);
    if path.is_symlink() { Err(BackupLink(path)) } else { Ok(path) }
}

/// The text of an app's file; nothing if there is none. It is a regular file of some size, or it is refused.
pub fn text_of(path: &Path) -> Result<Option<String>, PlanError> {
    Ok(read(path)?.map(|(_, text)| text))
}

/// The file and its text; nothing if there is none.
fn read(path: &Path) -> Result<Option<(Original, String)>, PlanError> {
    // Otherwise there would seem to be no file, and yet none could be made.
    if path.is_symlink() && !path.exists() {
        return Err(PlanError::DeadLink(path.to_owned()));
    }
    let place = match Roots::around(path).resolve(path) {
        Ok(place) => place,
        Err(ResolveError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let original = match place.read(MOST_BYTES) {
        Ok(original) => original,
        Err(OpenError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match std::str::from_utf8(original.bytes()) {
        Ok(text) => {
            let text = text.to_owned();
            Ok(Some((original, text)))
        }
        Err(_) => Err(PlanError::NotText(path.to_owned())),
    }
}

impl Plan {
    /// What changes, for a person; empty if nothing does.
    pub fn diff(&self) -> String {
        if self.action == Action::Nothing {
            return String::new();
        }
        let old = self.old.as_ref().map_or("", |(_, text)| text.as_str());
        let new = self.new.as_deref().unwrap_or_default();
        diff::unified(&self.path.display().to_string(), (old, new), &self.known)
    }

    /// Makes the change, durably. The backup is on the disk before the file is touched.
    pub fn apply(&self) -> Result<(), ApplyError> {
        match (self.action, &self.old, &self.new) {
            (Action::Nothing, _, _) => Ok(()),
            (Action::Add | Action::Update, Some((original, _)), Some(new)) => {
                self.back_up(original)?;
                original.replace(new.as_bytes())?;
                Ok(())
            }
            (Action::Restore, Some((original, _)), Some(new)) => {
                original.replace(new.as_bytes())?;
                remove(&own_backup_of(original.path())?)
            }
            (Action::Remove, Some((original, _)), Some(new)) => {
                original.replace(new.as_bytes())?;
                Ok(())
            }
            (Action::Delete, Some((original, _)), _) => {
                original.remove()?;
                Ok(())
            }
            (_, _, Some(new)) => create(&self.path, new.as_bytes()),
            (_, _, None) => Ok(()),
        }
    }

    /// Takes a change back, for an entry that turned out not to start: what was there before is there again, also an older
    /// entry of ours. A file that was changed since stays as it is.
    pub fn revert(&self) -> Result<(), RevertError> {
        let Some((current, text)) = read(&self.path)? else { return Ok(()) };
        if self.new.as_ref() != Some(&text) {
            return Err(RevertError::Changed(self.path.clone()));
        }
        match (self.action, &self.old) {
            (Action::Add, Some((_, old))) => {
                current.replace(old.as_bytes()).map_err(ApplyError::from)?;
                if !self.is_connected {
                    remove(&own_backup_of(current.path()).map_err(ApplyError::from)?)?;
                }
            }
            (Action::Update, Some((_, old))) => {
                current.replace(old.as_bytes()).map_err(ApplyError::from)?;
            }
            (Action::Add, None) => {
                current.remove().map_err(ApplyError::from)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Once: a backup that is there already has the file from before. One from an earlier connection, which has ended since,
    /// is replaced.
    fn back_up(&self, original: &Original) -> Result<(), ApplyError> {
        let path = own_backup_of(original.path())?;
        let everywhere = Roots::around(&path);
        match everywhere.resolve(&path) {
            Ok(_) if self.is_connected => Ok(()),
            Ok(place) => {
                place.read(MOST_BYTES)?.replace(original.bytes())?;
                Ok(())
            }
            Err(ResolveError::NotFound(_)) => {
                let like = everywhere.resolve(original.path())?;
                let name = path.file_name().unwrap_or_default();
                if let Some(place) = like.beside(name) {
                    place.create(original.bytes(), &like)?;
                }
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn remove(path: &Path) -> Result<(), ApplyError> {
    let Ok(place) = Roots::around(path).resolve(path) else { return Ok(()) };
    place.read(MOST_BYTES)?.remove()?;
    Ok(())
}

/// Makes a file that is not there, and the folders above it.
fn create(path: &Path, bytes: &[u8]) -> Result<(), ApplyError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|source| ApplyError::Folder { path: folder.to_owned(), source })?;
    let folder: Place = Roots::around(folder).resolve(folder)?;
    let inside = path.file_name().and_then(|name| folder.for_new(name));
    if let Some(place) = inside {
        place.create(bytes, &folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{Action, backup_of, plan_connect, plan_disconnect};
    use crate::client::find;
    use crate::entry::Entry;

    fn entry(command: &str) -> Entry {
        Entry {
            name: "deskmate".into(),
            command: command.into(),
            arguments: vec!["stdio".into()],
            variables: Vec::new(),
        }
    }

    /// A folder for one test, gone with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("deskmate-connect-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).expect("a folder");
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_change_that_is_taken_back_leaves_the_older_entry() {
        let folder = Folder::new("older");
        let (path, cursor) = (folder.0.join("mcp.json"), find("cursor").expect("a client"));
        fs::write(&path, "{}\n").expect("a file");
        plan_connect(cursor, &path, &entry("/old/deskmate")).expect("a plan").apply().expect("added");
        let older = fs::read_to_string(&path).expect("the file");
        let update = plan_connect(cursor, &path, &entry("/new/deskmate")).expect("a plan");
        assert_eq!(update.action, Action::Update);
        update.apply().expect("updated");
        update.revert().expect("taken back");
        assert_eq!(fs::read_to_string(&path).expect("the file"), older);
        assert_eq!(fs::read_to_string(backup_of(&path)).expect("the backup"), "{}\n");
    }

    #[test]
    fn a_second_entry_leaves_the_backup_of_the_first() {
        let folder = Folder::new("second");
        let (path, cursor) = (folder.0.join("mcp.json"), find("cursor").expect("a client"));
        let old = "{\n  \"theme\": 1\n}\n";
        fs::write(&path, old).expect("a file");
        let second = Entry { name: "desk".into(), ..entry("/opt/deskmate") };
        for entry in [&entry("/opt/deskmate"), &second] {
            plan_connect(cursor, &path, entry).expect("a plan").apply().expect("added");
            assert_eq!(fs::read_to_string(backup_of(&path)).expect("the backup"), old);
        }
        for name in ["desk", "deskmate"] {
            let plan = plan_disconnect(cursor, &path, name, "deskmate").expect("a plan");
            plan.apply().expect("removed");
        }
        assert_eq!(fs::read_to_string(&path).expect("the file"), old);
        assert!(!backup_of(&path).exists());
    }

    #[test]
    fn a_first_entry_that_is_taken_back_leaves_nothing() {
        let folder = Folder::new("first");
        let (path, cursor) = (folder.0.join("mcp.json"), find("cursor").expect("a client"));
        let add = plan_connect(cursor, &path, &entry("/new/deskmate")).expect("a plan");
        add.apply().expect("added");
        add.revert().expect("taken back");
        assert!(!path.exists());
        fs::write(&path, "{}\n").expect("a file");
        let add = plan_connect(cursor, &path, &entry("/new/deskmate")).expect("a plan");
        add.apply().expect("added");
        // An app that wrote meanwhile is not undone.
        let text = fs::read_to_string(&path).expect("the file").replace("\n}\n", ",\n  \"theme\": 1\n}\n");
        fs::write(&path, &text).expect("changed");
        assert!(add.revert().is_err());
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
        fs::remove_file(&path).expect("gone");
        fs::write(&path, "{}\n").expect("a file");
        let add = plan_connect(cursor, &path, &entry("/new/deskmate")).expect("a plan");
        add.apply().expect("added");
        add.revert().expect("taken back");
        assert_eq!(fs::read_to_string(&path).expect("the file"), "{}\n");
        assert!(!backup_of(&path).exists());
    }
}
