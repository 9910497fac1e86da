use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use files::Home;

use super::{Bounds, Entry, Journal, JournalError, Name, hash};

/// A state folder for one test, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("deskmate-metatag-journal-{}-{number}", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }

    fn journal(&self, bounds: Bounds) -> Journal {
        let home = Home::from_environment(|name| (name == "DESKMATE_HOME").then(|| self.0.clone().into()));
        Journal { home: Some(home.expect("absolute")), bounds }
    }

    fn files(&self) -> Vec<PathBuf> {
        let folder = fs::read_dir(self.0.join("MetaTagGenie/undo")).expect("a folder");
        folder.map(|entry| entry.expect("an entry").path()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(number: usize) -> Vec<u8> {
    format!("version {number} of the file").into_bytes()
}

#[test]
fn a_change_is_found_by_what_the_file_is_now() {
    let scratch = Scratch::new();
    let journal = scratch.journal(super::BOUNDS);
    let (path, other) = (Path::new("/a/图.jpg"), Path::new("/b.jpg"));
    for number in 0..5 {
        journal.record(path, &text(number), &text(number + 1)).expect("recorded");
    }
    journal.record(other, &text(9), &text(3)).expect("recorded");
    let found = journal.find(path, &hash(&text(3))).expect("read").expect("found");
    assert_eq!(found.undo(&text(3)).expect("undone"), text(2));
    assert!(found.undo(b"something else altogether").is_err());
    assert!(journal.find(path, &hash(&text(7))).expect("read").is_none());
    assert!(journal.find(Path::new("/c.jpg"), &hash(&text(3))).expect("read").is_none());
    assert!(journal.knows(other).expect("read") && !journal.knows(Path::new("/c.jpg")).expect("read"));
    found.forget();
    assert!(journal.find(path, &hash(&text(3))).expect("read").is_none());
}

#[test]
fn the_oldest_go_when_there_are_too_many() {
    let scratch = Scratch::new();
    let journal = scratch.journal(Bounds { entries: 10, bytes: 1 << 20, entry: 1 << 16 });
    let path = Path::new("/a.jpg");
    for number in 0..25 {
        journal.record(path, &text(number), &text(number + 1)).expect("recorded");
    }
    assert_eq!(scratch.files().len(), 10);
    assert!(journal.find(path, &hash(&text(25))).expect("read").is_some());
    assert!(journal.find(path, &hash(&text(15))).expect("read").is_none());
    let small = scratch.journal(Bounds { entries: 10, bytes: 1_000, entry: 600 });
    small.record(path, &text(25), &text(26)).expect("recorded");
    let total: u64 = scratch.files().iter().map(|file| fs::metadata(file).expect("there").len()).sum();
    assert!(total <= 1_000, "{total}");
    let long: Vec<u8> = (0..700_u32).flat_map(u32::to_le_bytes).collect();
    let refused = small.record(path, &long, b"");
    assert!(matches!(refused, Err(JournalError::TooLarge { limit: 600, .. })), "{refused:?}");
}

#[test]
fn what_is_damaged_is_named_and_what_is_not_ours_is_left_alone() {
    let scratch = Scratch::new();
    let journal = scratch.journal(super::BOUNDS);
    let path = Path::new("/a.jpg");
    journal.record(path, &text(1), &text(2)).expect("recorded");
    let file = scratch.files().remove(0);
    fs::write(scratch.0.join("MetaTagGenie/undo/notes.txt"), "mine").expect("a file");
    fs::write(&file, b"DMundo02 and nonsense").expect("damage");
    let refused = journal.find(path, &hash(&text(2))).expect_err("damaged").to_string();
    assert!(refused.contains(&file.display().to_string()), "{refused}");
    assert_eq!(scratch.files().len(), 2);
    assert!(matches!(Journal::new(None).record(path, b"a", b"b"), Err(JournalError::NoHome)));
}

#[test]
fn several_writers_at_once_lose_nothing() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let scratch = &scratch;
            scope.spawn(move || {
                let journal = scratch.journal(super::BOUNDS);
                for number in 0..25 {
                    let path = PathBuf::from(format!("/{writer}.jpg"));
                    journal.record(&path, &text(number), &text(number + 1)).expect("recorded");
                }
            });
        }
    });
    assert_eq!(scratch.files().len(), 100);
}

#[test]
fn names_read_back() {
    let name = Name { time: 1, path: u64::MAX, new: 7, length: 0xABC };
    assert_eq!(Name::parse(&name.to_text()), Some(name));
    for other in ["", "a.undo", "1-2-3.undo", "1-2-3-4-5.undo", "1-2-3-4", ".deskmate-0.tmp"] {
        assert_eq!(Name::parse(other), None, "{other}");
    }
    assert!(Entry::from_bytes(b"").is_err());
}
