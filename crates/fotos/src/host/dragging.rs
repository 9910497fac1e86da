//! Files for other programs: a screenshot that is dragged out of the window is one. Programs read it when they like, so it stays
//! until Fotos ends, or until the screenshot is redacted or deleted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use files::{FolderError, PrivateFolder};
use uuid::Uuid;

use super::Host;
use crate::error::Error;
use crate::screenshot::{Screenshot, Summary};

/// The folder. It is emptied when it is opened, since a process may have been killed, and when it is dropped.
#[derive(Debug)]
pub(super) struct Dragging(PrivateFolder);

impl Dragging {
    pub(super) fn open(path: &Path) -> Result<Dragging, FolderError> {
        let dragging = Dragging(PrivateFolder::make(path)?);
        dragging.remove(|_| true);
        Ok(dragging)
    }

    /// Each revision has a folder of its own: so the file is called what a person would call it.
    fn folder_of(&self, screenshot: &Screenshot) -> PathBuf {
        let revision = screenshot.document().revision();
        self.0.path().join(format!("{}-{}-{revision}", screenshot.id(), screenshot.generation()))
    }

    fn path_of(&self, screenshot: &Screenshot) -> PathBuf {
        self.folder_of(screenshot).join(file_name(&screenshot.summary(), "png"))
    }

    pub(super) fn forget(&self, id: Uuid) {
        self.remove(|name| name.starts_with(&id.to_string()));
    }

    /// The folders with files of a screenshot.
    pub(super) fn files(&self, id: Uuid) -> Vec<PathBuf> {
        self.find(|name| name.starts_with(&id.to_string()))
    }

    fn find(&self, is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.0.path()) else { return Vec::new() };
        let meant = entries.flatten().filter(|entry| is_meant(&entry.file_name().to_string_lossy()));
        meant.map(|entry| entry.path()).collect()
    }

    fn remove(&self, is_meant: impl Fn(&str) -> bool) {
        for path in self.find(is_meant) {
            // What cannot be removed now is tried again at the next start.
            let _ = fs::remove_dir_all(path);
        }
    }
}

impl Drop for Dragging {
    fn drop(&mut self) {
        self.remove(|_| true);
    }
}

impl Host {
    /// Where the file of a screenshot as it looks now is while it is dragged, once [`Host::lend`] wrote it.
    pub(super) fn drag_path(&self, screenshot: &Screenshot) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.dragging.path_of(screenshot))
    }

    /// Whether this is one of those files.
    pub fn is_dragged(&self, path: &Path) -> bool {
        self.folder.as_ref().is_some_and(|folder| path.starts_with(folder.dragging.0.path()))
    }

    /// Writes the file of a screenshot as it looks now, for a program it is dragged to.
    pub fn lend(&self, id: &str) -> Result<PathBuf, Error> {
        let folder = self.folder.as_ref().ok_or(Error::NoSettings)?;
        let screenshot = self.store.get(id)?;
        let (path, place) = (folder.dragging.path_of(&screenshot), folder.dragging.folder_of(&screenshot));
        let png = self.view(id)?.png()?;
        // A redaction that comes in between would not know of this file.
        let _redacted = self.redacted.lock().unwrap_or_else(PoisonError::into_inner);
        if folder.dragging.path_of(&screenshot) != path {
            return Err(Error::Deleted);
        }
        if !path.exists() {
            let name = file_name(&screenshot.summary(), "png");
            PrivateFolder::make(&place)?.write(&name, &png)?;
        }
        // It may have been deleted while it was written.
        if self.store.get(id).is_err() {
            folder.dragging.forget(screenshot.id());
            return Err(Error::Deleted);
        }
        Ok(path)
    }
}

/// What the file of a screenshot is called, by the time it was taken.
pub(crate) fn file_name(summary: &Summary, extension: &str) -> String {
    let clean: String =
        summary.timestamp.chars().take(19).map(|letter| if letter == 'T' { ' ' } else { letter }).collect();
    format!("Fotos {}.{extension}", clean.replace(':', "."))
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use mcp_testkit::Folder;
    use picture::Pixels;

    use crate::capture::Shot;
    use crate::document::Edit;
    use crate::screenshot::{Mode, Screenshot};
    use crate::{Config, Host};

    #[test]
    fn what_is_dragged_out_is_a_file_of_what_is_seen_until_it_is_redacted_or_fotos_ends() {
        let folder = Folder::new();
        let root = folder.path("fotos");
        let host = Host::open(Config::default(), &root).expect("a host");
        let shot = Shot::of(Pixels::plain(50, 40, [9, 200, 30]));
        let id = host.keep(Screenshot::captured(Mode::Fullscreen, shot)).id().to_string();
        let said = host.shot(&id).expect("said").drag.expect("a path");
        let whole = host.lend(&id).expect("a file");
        assert_eq!(whole, std::path::Path::new(&said));
        assert_eq!(host.lend(&id).expect("the same file"), whole);
        let region = Rect { x: 0, y: 0, width: 20, height: 10 };
        host.edit(&id, Edit::Crop { region: Some(region) }, None).expect("cut");
        let part = host.lend(&id).expect("a file");
        let read = |path: &std::path::Path| {
            Pixels::from_png(&std::fs::read(path).expect("the file"), 10_000).expect("a PNG")
        };
        // Whoever got the first one may read it later.
        assert_eq!((read(&whole).width(), read(&part).width()), (50, 20));
        assert_ne!(part, whole);
        host.commit_redaction(&id, &[Rect::of_size(50, 40)]).expect("covered");
        assert!(!whole.exists() && !part.exists());
        let covered = host.lend(&id).expect("a file");
        assert!(read(&covered).bytes().chunks_exact(3).all(|pixel| pixel != [9, 200, 30]));
        host.delete(&id).expect("deleted");
        assert!(!covered.exists() && host.lend(&id).is_err());
        let shot = Shot::of(Pixels::plain(5, 4, [1; 3]));
        let id = host.keep(Screenshot::captured(Mode::Fullscreen, shot)).id().to_string();
        let last = host.lend(&id).expect("a file");
        drop(host);
        assert!(!last.exists(), "nothing stays when Fotos ends");
    }
}
