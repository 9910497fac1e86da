//! Screenshots of earlier runs, where the person wants them: a picture and a record for each, in a private folder.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use files::{FolderError, PrivateFolder};
use geometry::Rect;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::annotation::Annotation;
use crate::document::Document;
use crate::screenshot::{By, Image, Left, Record, Screenshot};
use crate::settings;
use crate::settings::Keep;
use crate::store::Spilled;

/// No more than these are brought back; older ones stay where they are until they are swept.
const MOST: usize = 500;

/// No record is longer: annotations and the text of a screen.
const MOST_BYTES: u64 = 16 << 20;

/// The folder.
pub(crate) struct History {
    folder: PrivateFolder,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whose picture is there, at which generation of its base.
    written: HashMap<Uuid, u64>,
    /// Those that could not be written as they are now, and why the last of them could not.
    unwritten: HashSet<Uuid>,
    trouble: Option<String>,
}

/// A file of the folder.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    record: Record,
    by: By,
    annotations: Vec<Annotation>,
    locked: BTreeSet<String>,
    crop: Option<Rect>,
    text: Option<String>,
    /// Where copies went: whoever redacts it in a later run is told.
    #[serde(default)]
    left: Vec<Left>,
}

impl History {
    pub(crate) fn open(path: &Path) -> Result<History, FolderError> {
        let folder = PrivateFolder::make(path)?;
        // One that was killed may have left a picture under a name that no redaction looks for.
        folder.remove_leftovers();
        Ok(History { folder, state: Mutex::default() })
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids().is_empty()
    }

    /// Why something could not be written, if it could not.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.state().trouble.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn picture(&self, id: Uuid) -> PathBuf {
        self.folder.path().join(format!("{id}.png"))
    }

    fn entry(&self, id: Uuid) -> PathBuf {
        self.folder.path().join(format!("{id}.json"))
    }

    /// Writes a screenshot, as far as it changed. Returns those that could not be written before, where this one could.
    pub(crate) fn save(&self, screenshot: &Screenshot) -> Vec<Uuid> {
        let mut state = self.state();
        match self.write(screenshot, &mut state.written) {
            Ok(()) => {
                state.unwritten.remove(&screenshot.id());
                if state.unwritten.is_empty() {
                    state.trouble = None;
                }
                state.unwritten.iter().copied().collect()
            }
            Err(reason) => {
                state.unwritten.insert(screenshot.id());
                state.trouble = Some(reason);
                Vec::new()
            }
        }
    }

    fn write(&self, screenshot: &Screenshot, written: &mut HashMap<Uuid, u64>) -> Result<(), String> {
        let (id, generation) = (screenshot.id(), screenshot.generation());
        if written.get(&id) != Some(&generation) {
            let png = screenshot.png().map_err(|error| error.to_string())?;
            self.folder.write(&format!("{id}.png"), &png).map_err(|error| error.to_string())?;
            written.insert(id, generation);
        }
        let state = screenshot.document().state();
        let entry = Entry {
            record: screenshot.record(),
            by: screenshot.by(),
            annotations: state.annotations,
            locked: state.locked,
            crop: state.crop,
            text: screenshot.text(),
            left: screenshot.left(),
        };
        let json = serde_json::to_vec(&entry).map_err(|error| error.to_string())?;
        self.folder.write(&format!("{id}.json"), &json).map_err(|error| error.to_string())
    }

    /// Removes a screenshot.
    pub(crate) fn remove(&self, id: Uuid) {
        let mut state = self.state();
        state.written.remove(&id);
        state.unwritten.remove(&id);
        if state.unwritten.is_empty() {
            state.trouble = None;
        }
        // The text first: a crash in between leaves a picture, which the next start finds and removes.
        let _ = fs::remove_file(self.entry(id));
        let _ = fs::remove_file(self.picture(id));
    }

    /// The files of a screenshot.
    pub(crate) fn files(&self, id: Uuid) -> Vec<PathBuf> {
        let mut files = vec![self.picture(id), self.entry(id)];
        files.retain(|path| path.symlink_metadata().is_ok());
        files
    }

    /// Removes those that were made of `id` and are nowhere else: the person could not find them.
    pub(crate) fn remove_made_of(&self, id: Uuid, is_elsewhere: impl Fn(Uuid) -> bool) {
        let is_copy = |copy: &Uuid| {
            !is_elsewhere(*copy)
                && self.described(*copy).is_some_and(|entry| entry.record.made_of.contains(&id))
        };
        for (copy, _) in self.ids().into_iter().filter(|(copy, _)| is_copy(copy)) {
            self.remove(copy);
        }
    }

    /// Removes what is older than wanted; everything, where nothing is. Says what it was.
    pub(crate) fn sweep(&self, wanted: &settings::History) -> Vec<Uuid> {
        let limit = match wanted.keep {
            Keep::Forever => return Vec::new(),
            Keep::Off => SystemTime::now(),
            Keep::Days => {
                let age = Duration::from_secs(u64::from(wanted.days) * 86_400);
                SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH)
            }
        };
        let old = self.ids().into_iter().filter(|(_, taken)| wanted.keep == Keep::Off || *taken < limit);
        let old: Vec<Uuid> = old.map(|(id, _)| id).collect();
        for id in &old {
            self.remove(*id);
        }
        old
    }

    /// What is there, and when its picture was written; that was when it was taken, or later.
    fn ids(&self) -> Vec<(Uuid, SystemTime)> {
        let Ok(entries) = fs::read_dir(self.folder.path()) else { return Vec::new() };
        let ids = entries.flatten().filter_map(|entry| {
            let path = entry.path();
            let id = path.file_stem()?.to_str()?.parse().ok()?;
            (path.extension()? == "png").then_some((id, entry.metadata().ok()?.modified().ok()?))
        });
        ids.collect()
    }

    /// The newest ones, the oldest of them first.
    pub(crate) fn load(&self) -> Vec<Screenshot> {
        let mut found: Vec<Screenshot> = Vec::new();
        let mut ids = self.ids();
        ids.sort_by_key(|(_, taken)| std::cmp::Reverse(*taken));
        for (id, _) in ids.into_iter().take(MOST) {
            match self.read(id) {
                Some(screenshot) => {
                    self.state().written.insert(id, 0);
                    found.push(screenshot);
                }
                // A crash between its two files: nobody could ever see it, nor delete it.
                None if !self.entry(id).exists() => self.remove(id),
                // One that cannot be read does not keep the others away.
                None => {}
            }
        }
        found.sort_by_key(Screenshot::taken);
        found
    }

    fn described(&self, id: Uuid) -> Option<Entry> {
        let path = self.entry(id);
        if fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?.len() > MOST_BYTES {
            return None;
        }
        let entry: Entry = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        (entry.record.id == id).then_some(entry)
    }

    fn read(&self, id: Uuid) -> Option<Screenshot> {
        let Entry { record, by, annotations, locked, crop, text, left } = self.described(id)?;
        let file = Spilled::kept(self.picture(id)).ok()?;
        let screenshot = Screenshot::from_record(record, Image::Spilled(Arc::new(file)), by);
        for place in left {
            screenshot.note_left(place);
        }
        let document = Document::restored(annotations, locked, crop);
        Some(screenshot.with_document(document).marked_earlier(text))
    }
}
