//! The screenshots of this process, the newest first: in memory, and beyond a bound in a folder, where there is one.

mod spill;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

pub use spill::{Spill, Spilled};

use crate::agent::{is_seen, is_the_agents};
use crate::error::Error;
use crate::screenshot::{Screenshot, Summary};

/// A screenshot that was added, and those that went because there are too many.
pub type Added = (Arc<Screenshot>, Vec<Arc<Screenshot>>);

/// How much is kept; then the oldest go. The newest is always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many screenshots.
    pub count: usize,
    /// How many bytes of memory all of them take.
    pub bytes: usize,
    /// How many bytes in the spill folder, where there is one.
    pub disk: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { count: 100, bytes: 512 << 20, disk: 0 }
    }
}

impl Limits {
    /// Those of the application, whose person goes through many.
    pub const APPLICATION: Limits = Limits { count: 1_000, bytes: 256 << 20, disk: 4 << 30 };
}

/// How many times the bound of the memory may be reached while the disk takes no more.
const HARD: usize = 2;

/// The screenshots, and who went for want of room.
#[derive(Debug, Default)]
pub struct Store {
    limits: Limits,
    /// After the contents, since those have files in it.
    contents: Mutex<Contents>,
    spill: Option<Spill>,
}

#[derive(Debug, Default)]
struct Contents {
    newest_first: VecDeque<Arc<Screenshot>>,
    dropped: usize,
    /// Why the last picture could not be put into a file.
    trouble: Option<String>,
}

fn memory(kept: &Contents) -> usize {
    kept.newest_first.iter().map(|screenshot| screenshot.memory()).sum()
}

/// Which one goes first: the oldest that is the agents' alone, so that no agent makes the person's go by taking many.
fn least_wanted(kept: &Contents) -> usize {
    let last = kept.newest_first.len().saturating_sub(1);
    // Not the newest: it was just taken.
    let of_agents = kept.newest_first.iter().skip(1).rposition(|screenshot| is_the_agents(screenshot));
    of_agents.map_or(last, |at| at + 1)
}

/// The newest screenshots.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct List {
    /// The newest first.
    pub screenshots: Vec<Summary>,
    /// How many there are in all.
    pub total: usize,
    /// What became of older ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Store {
    /// An empty one.
    pub fn new(limits: Limits) -> Store {
        Store { limits, contents: Mutex::default(), spill: None }
    }

    /// An empty one that uses this folder when the memory is full.
    pub fn spilling(limits: Limits, spill: Spill) -> Store {
        Store { limits, contents: Mutex::default(), spill: Some(spill) }
    }

    /// Whether there is room for another one. Nothing is dropped because a disk is full.
    pub fn check_room(&self) -> Result<(), Error> {
        let kept = self.contents();
        match &kept.trouble {
            Some(reason) if memory(&kept) > self.limits.bytes.saturating_mul(HARD) => {
                Err(Error::NoRoom { reason: reason.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Keeps a screenshot; returns those that went because there are too many.
    pub fn add(&self, screenshot: Screenshot) -> Added {
        let screenshot = Arc::new(screenshot);
        self.contents().newest_first.push_front(Arc::clone(&screenshot));
        (screenshot, self.drop_oldest(usize::MAX))
    }

    /// The same, unless there is one of this name: then it is returned instead.
    pub(crate) fn add_new(&self, screenshot: Screenshot) -> Result<Added, Arc<Screenshot>> {
        let screenshot = Arc::new(screenshot);
        {
            let mut kept = self.contents();
            if let Some(known) = kept.newest_first.iter().find(|known| known.id() == screenshot.id()) {
                return Err(Arc::clone(known));
            }
            kept.newest_first.push_front(Arc::clone(&screenshot));
        }
        Ok((screenshot, self.drop_oldest(usize::MAX)))
    }

    /// Lets the oldest go until there is room, and says which. Done when a screenshot has the size it will keep: pixels that
    /// are about to become a file are no reason to forget another.
    pub fn make_room(&self) -> Vec<Arc<Screenshot>> {
        match &self.spill {
            None => self.drop_oldest(self.limits.bytes),
            Some(spill) => {
                self.spill_oldest(spill);
                self.drop_oldest(usize::MAX)
            }
        }
    }

    /// Puts the oldest pictures into files until the rest fits. The newest stays in memory.
    fn spill_oldest(&self, spill: &Spill) {
        let oldest_first: Vec<Arc<Screenshot>> = {
            let kept = self.contents();
            if memory(&kept) <= self.limits.bytes {
                return;
            }
            kept.newest_first.iter().skip(1).rev().filter(|one| one.is_in_memory()).cloned().collect()
        };
        for screenshot in oldest_first {
            // Outside of the lock: a disk may be slow.
            let written = match screenshot.png() {
                Ok(png) => match spill.put(screenshot.id(), &png) {
                    Ok(file) => Ok((png, file)),
                    Err(error) => Err(error.to_string()),
                },
                Err(error) => Err(error.to_string()),
            };
            let mut kept = self.contents();
            match written {
                Ok((png, file)) => {
                    kept.trouble = None;
                    // One that was deleted meanwhile takes its file along.
                    screenshot.spill(&png, file);
                }
                Err(reason) => {
                    kept.trouble = Some(reason);
                    return;
                }
            }
            if memory(&kept) <= self.limits.bytes {
                return;
            }
        }
    }

    fn drop_oldest(&self, most_bytes: usize) -> Vec<Arc<Screenshot>> {
        let mut kept = self.contents();
        let mut gone = Vec::new();
        let mut bytes = memory(&kept);
        let is_too_much = |kept: &Contents, bytes: usize| {
            let on_disk: u64 = kept.newest_first.iter().map(|one| one.on_disk()).sum();
            kept.newest_first.len() > self.limits.count.max(1)
                || bytes > most_bytes
                || (self.spill.is_some() && on_disk > self.limits.disk)
        };
        while kept.newest_first.len() > 1 && is_too_much(&kept, bytes) {
            let at = least_wanted(&kept);
            let Some(oldest) = kept.newest_first.remove(at) else { break };
            bytes = bytes.saturating_sub(oldest.memory());
            // Agents are told how many: of those they saw.
            kept.dropped += usize::from(is_seen(&oldest));
            gone.push(oldest);
        }
        gone
    }

    /// The screenshot of this name.
    pub fn get(&self, id: &str) -> Result<Arc<Screenshot>, Error> {
        let wanted = id.parse().ok();
        let kept = self.contents();
        let found = kept.newest_first.iter().find(|screenshot| Some(screenshot.id()) == wanted);
        found.map(Arc::clone).ok_or_else(|| Error::NotFound { id: id.to_owned() })
    }

    /// All of them, the newest first.
    pub fn all(&self) -> Vec<Arc<Screenshot>> {
        self.contents().newest_first.iter().cloned().collect()
    }

    /// The newest ones.
    pub fn list(&self, limit: usize) -> List {
        self.list_of(limit, |_| true)
    }

    /// The newest ones of those that `is_meant`.
    pub fn list_of(&self, limit: usize, is_meant: impl Fn(&Screenshot) -> bool) -> List {
        let kept = self.contents();
        let Limits { count, bytes, disk } = self.limits;
        let note = (kept.dropped > 0).then(|| {
            format!(
                "{} older screenshots are gone: at most {count} are kept, and {} MiB of them",
                kept.dropped,
                (bytes as u64).saturating_add(disk) >> 20
            )
        });
        let meant = || kept.newest_first.iter().filter(|one| is_meant(one));
        let total = meant().count();
        List { screenshots: meant().take(limit).map(|one| one.summary()).collect(), total, note }
    }

    /// The names of all of them, the newest first.
    pub fn ids(&self) -> Vec<String> {
        self.contents().newest_first.iter().map(|screenshot| screenshot.id().to_string()).collect()
    }

    /// Forgets one.
    pub fn delete(&self, id: &str) -> Result<Arc<Screenshot>, Error> {
        let wanted = id.parse().ok();
        let mut kept = self.contents();
        let at = kept.newest_first.iter().position(|screenshot| Some(screenshot.id()) == wanted);
        let found = at.and_then(|at| kept.newest_first.remove(at));
        found.ok_or_else(|| Error::NotFound { id: id.to_owned() })
    }

    /// Says nothing any more of those that went for want of room.
    pub fn forget_dropped(&self) {
        self.contents().dropped = 0;
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use picture::Pixels;

    use super::{Limits, Store};
    use crate::capture::Shot;
    use crate::screenshot::{Mode, Screenshot};

    fn screenshot(edge: u32) -> Screenshot {
        Screenshot::captured(Mode::Fullscreen, Shot::of(Pixels::plain(edge, edge, [0; 3])))
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_or_they_are_too_large() {
        let store = Store::new(Limits { count: 3, bytes: 3_000, disk: 0 });
        let added: Vec<_> = (0..5).map(|_| store.add(screenshot(10))).collect();
        let ids: Vec<String> = added.iter().map(|(one, _)| one.id().to_string()).collect();
        let gone: Vec<String> =
            added.iter().flat_map(|(_, gone)| gone).map(|one| one.id().to_string()).collect();
        assert_eq!(gone, ids[..2]);
        let list = store.list(10);
        let named: Vec<&str> = list.screenshots.iter().map(|one| one.screenshot_id.as_str()).collect();
        assert_eq!(named, [&ids[4], &ids[3], &ids[2]]);
        assert!(list.note.is_some_and(|note| note.starts_with("2 older screenshots")));
        // Larger than all the room there is: alone it stays.
        let large = store.add(screenshot(100)).0.id().to_string();
        assert_eq!(store.make_room().len(), 2);
        assert_eq!(store.ids(), [large]);
    }

    #[test]
    fn many_of_agents_do_not_make_the_persons_go() {
        let store = Store::new(Limits { count: 3, bytes: 1 << 20, disk: 0 });
        let own = store.add(screenshot(10).by_person()).0.id().to_string();
        let last: Vec<String> = (0..9).map(|_| store.add(screenshot(10)).0.id().to_string()).collect();
        assert_eq!(store.ids(), [last[8].as_str(), &last[7], &own]);
        // There is an end to that, too.
        let newer: Vec<String> =
            (0..3).map(|_| store.add(screenshot(10).by_person()).0.id().to_string()).collect();
        assert_eq!(store.ids(), [newer[2].as_str(), &newer[1], &newer[0]]);
    }

    #[test]
    fn nobody_is_told_how_many_of_the_persons_are_gone() {
        let store = Store::new(Limits { count: 2, bytes: 1 << 20, disk: 0 });
        (0..5).for_each(|_| drop(store.add(screenshot(10).by_person())));
        assert_eq!((store.ids().len(), store.list(10).note), (2, None));
        (0..4).for_each(|_| drop(store.add(screenshot(10))));
        let note = store.list(10).note.expect("a note");
        assert!(note.starts_with("3 older screenshots"), "{note}");
    }

    #[test]
    fn what_is_deleted_is_gone() {
        let store = Store::default();
        let (first, second) =
            (store.add(screenshot(1)).0.id().to_string(), store.add(screenshot(1)).0.id().to_string());
        store.delete(&first).expect("it is there");
        assert!(store.delete(&first).is_err() && store.get(&first).is_err() && store.get("abc").is_err());
        assert_eq!(store.get(&second).expect("it is there").id().to_string(), second);
    }
}
