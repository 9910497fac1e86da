//! The host of the application: its folder, and what is kept from one run to the next.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::{FolderError, PrivateFolder};
use uuid::Uuid;

use super::Host;
use super::dragging::Dragging;
use super::setting::Keeper;
use crate::activity::Pause;
use crate::config::Config;
use crate::error::Error;
use crate::events::Event;
use crate::history::History;
use crate::screenshot::Screenshot;
use crate::settings::{Keep, Settings, SettingsFile};
use crate::store::{Limits, Spill, Store};

/// The folder of the application, which it has alone.
pub(super) struct Folder {
    history: History,
    pub(super) dragging: Dragging,
    /// Locked as long as this is open.
    _lock: File,
}

/// Why the application cannot have its folder.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Another process has it.
    #[error("another Fotos uses `{}`; close it, or set `DESKMATE_HOME` to another folder", .0.display())]
    Taken(PathBuf),
}

impl Host {
    /// The host of the application, with its settings and files in this folder. What an earlier run left in the spill folder
    /// when it was killed is removed.
    pub fn open(config: Config, folder: &Path) -> Result<Host, OpenError> {
        let private = PrivateFolder::make(folder)?;
        let lock = private.try_open_alone("host.lock")?.ok_or_else(|| OpenError::Taken(folder.to_owned()))?;
        let spill = Spill::open(&folder.join("spill"))?;
        let history = History::open(&folder.join("history"))?;
        let dragging = Dragging::open(&folder.join("dragged"))?;
        let limits = if config.limits == Limits::default() { Limits::APPLICATION } else { config.limits };
        let store = Store::spilling(limits, spill);
        let defaults = config.models.as_ref().map_or_else(|_| Settings::default(), Settings::with_models);
        let settings = SettingsFile::open(private, "settings.json", defaults);
        if settings.history_is_unknown() && !history.is_empty() {
            settings.keep_history();
        }
        let settings = Keeper::of(settings);
        let privacy_is_unknown = settings.privacy_is_unknown();
        let host = Host::with(config, store, settings, Some(Folder { history, dragging, _lock: lock }));
        if privacy_is_unknown {
            // The defaults would show what the person excluded. The person sees what is wrong, and lets agents go on.
            host.activity.set_pause(Some(Pause::Settings));
        } else if host.settings().agents.paused {
            host.activity.set_pause(Some(Pause::Person));
        }
        host.sweep_history();
        host.recall();
        Ok(host)
    }

    /// Puts the screenshots of earlier runs into the store, for the person alone.
    fn recall(&self) {
        let Some(folder) = &self.folder else { return };
        for screenshot in folder.history.load() {
            self.store.add(screenshot);
        }
    }

    /// Keeps a screenshot for the next run, if that is wanted.
    pub(super) fn remember(&self, screenshot: &Arc<Screenshot>) {
        let keep = self.settings().history.keep;
        let Some(folder) = self.folder.as_ref().filter(|_| keep != Keep::Off) else { return };
        let is_there = || self.store.get(&screenshot.id().to_string()).is_ok();
        let was_in_trouble = folder.history.trouble().is_some();
        let again = if is_there() { folder.history.save(screenshot) } else { Vec::new() };
        // It may have been deleted while it was written, or the person may want nothing kept any more.
        if !is_there() || self.settings().history.keep == Keep::Off {
            folder.history.remove(screenshot.id());
        }
        // There is room on the disk again.
        for id in again {
            match self.store.get(&id.to_string()) {
                Ok(other) => drop(folder.history.save(&other)),
                Err(_) => folder.history.remove(id),
            }
        }
        if folder.history.trouble().is_some() != was_in_trouble {
            self.events.tell(&Event::History);
        }
    }

    /// Removes what was made of a screenshot from the history, where it stands there alone.
    pub(super) fn forget_copies_in_history(&self, id: Uuid) {
        if let Some(folder) = &self.folder {
            folder.history.remove_made_of(id, |copy| self.store.get(&copy.to_string()).is_ok());
        }
    }

    /// Removes its files: those of the history, and those that were dragged out.
    pub(super) fn forget_files(&self, id: Uuid) {
        if let Some(folder) = &self.folder {
            folder.history.remove(id);
            folder.dragging.forget(id);
        }
    }

    /// Its files that are still there: the disk may take no more changes.
    pub(super) fn files_of(&self, id: Uuid) -> Vec<PathBuf> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let mut files = folder.history.files(id);
        files.extend(folder.dragging.files(id));
        files
    }

    /// Removes what is older than wanted. Those of earlier runs are nowhere else, and go from the list, too.
    pub(super) fn sweep_history(&self) {
        let Some(folder) = &self.folder else { return };
        for id in folder.history.sweep(&self.settings().history) {
            if let Ok(screenshot) = self.store.get(&id.to_string())
                && screenshot.is_earlier()
            {
                self.forget(&screenshot);
            }
        }
    }

    /// Keeps for the next run what was taken while nothing was kept.
    pub(super) fn remember_all(&self) {
        for screenshot in self.store.all() {
            self.remember(&screenshot);
        }
    }

    /// Why something could not be kept for the next run, if it could not.
    pub fn history_trouble(&self) -> Option<String> {
        self.folder.as_ref()?.history.trouble()
    }

    /// Asks the person to look at a screenshot.
    pub fn bring_up(&self, id: &str) -> Result<(), Error> {
        let screenshot = self.store.get(id)?;
        self.events.tell(&Event::Opened(screenshot.id()));
        Ok(())
    }

    /// Pauses agents, or lets them go on: at once, and for the next run, too. An error says that the next run does not know.
    pub fn pause_agents(&self, paused: bool) -> Result<(), Error> {
        self.activity.set_pause(paused.then_some(Pause::Person));
        self.events.tell(&Event::Agents);
        if !self.settings.is_kept() {
            return Ok(());
        }
        // Where the settings could not be read, what is set now is what the person wants, and the next start need not ask.
        self.patch_settings(&format!(r#"{{"agents":{{"paused":{paused}}}}}"#)).map(drop)
    }
}
