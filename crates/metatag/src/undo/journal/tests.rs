use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use files::Home;

use super::{BOUNDS, Bounds, Journal, JournalError, Shape, hash};

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
    let journal = scratch.journal(BOUNDS);
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
    journal.forget(&[found]);
    assert!(journal.find(path, &hash(&text(3))).expect("read").is_none());
    assert!(journal.find(path, &hash(&text(5))).expect("read").is_some());
}

/// What no delta makes shorter.
fn noise(length: u32) -> Vec<u8> {
    (0..length / 4).flat_map(|number| number.wrapping_mul(0x9E37_79B9).to_le_bytes()).collect()
}

#[test]
fn the_oldest_go_when_there_are_too_many() {
    let scratch = Scratch::new();
    let shape = Shape { slots: 10, slot: 512 };
    let journal = scratch.journal(Bounds { shape, entry: 4_000, outside: 8_000 });
    let path = Path::new("/a.jpg");
    for number in 0..25 {
        journal.record(path, &text(number), &text(number + 1)).expect("recorded");
    }
    let is_known = |number| journal.find(path, &hash(&text(number))).expect("read").is_some();
    let known: Vec<usize> = (0..30).filter(|number| is_known(*number)).collect();
    assert_eq!(known, (16..=25).collect::<Vec<_>>());
    assert_eq!(scratch.files().len(), 1);
    let long = noise(3_000);
    for number in 30..35 {
        journal.record(path, &long, &text(number)).expect("recorded");
        let found = journal.find(path, &hash(&text(number))).expect("read").expect("found");
        assert_eq!(found.undo(&text(number)).expect("undone"), long);
    }
    assert_eq!(scratch.files().len(), 3, "two long ones have files of their own");
    for number in 40..50 {
        journal.record(path, &text(number), &text(number + 1)).expect("recorded");
    }
    assert_eq!(scratch.files().len(), 1, "they went with their slots");
    let size = fs::metadata(&scratch.files()[0]).expect("there").len();
    assert!(size <= 10 * (512 + 64), "{size}");
    let refused = journal.record(path, &noise(5_000), b"");
    assert!(matches!(refused, Err(JournalError::TooLarge { limit: 4_000, .. })), "{refused:?}");
}

#[test]
fn what_is_damaged_is_named_and_what_is_not_ours_is_left_alone() {
    let scratch = Scratch::new();
    let journal = scratch.journal(BOUNDS);
    let path = Path::new("/a.jpg");
    journal.record(path, &text(1), &text(2)).expect("recorded");
    let file = scratch.files().remove(0);
    fs::write(scratch.0.join("MetaTagGenie/undo/notes.txt"), "mine").expect("a file");
    let whole = fs::read(&file).expect("the journal");
    let at = whole.windows(8).position(|window| window == b"DMundo02").expect("an entry");
    for damaged in [at, at + 30, at + 60] {
        let mut bytes = whole.clone();
        bytes[damaged] ^= 1;
        fs::write(&file, bytes).expect("damage");
        let refused = journal.find(path, &hash(&text(2))).expect_err("damaged").to_string();
        assert!(refused.contains(&file.display().to_string()), "{refused}");
    }
    for cut in [0, 7, 100, at - 1, at + 1] {
        fs::write(&file, &whole[..cut]).expect("damage");
        assert!(!matches!(journal.find(path, &hash(&text(2))), Ok(Some(_))), "cut at {cut}");
        journal.record(path, &text(3), &text(4)).expect("recorded");
        assert!(journal.find(path, &hash(&text(4))).expect("read").is_some());
    }
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
                let journal = scratch.journal(BOUNDS);
                for number in 0..25 {
                    let path = PathBuf::from(format!("/{writer}.jpg"));
                    journal.record(&path, &text(number), &text(number + 1)).expect("recorded");
                }
            });
        }
    });
    let journal = scratch.journal(BOUNDS);
    for (writer, number) in (0..4).flat_map(|writer| (1..=25).map(move |number| (writer, number))) {
        let path = PathBuf::from(format!("/{writer}.jpg"));
        assert!(journal.find(&path, &hash(&text(number))).expect("read").is_some(), "{writer} {number}");
    }
}
