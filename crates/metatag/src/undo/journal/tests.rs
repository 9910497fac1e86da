use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use files::Home;

use super::{BOUNDS, BatchId, Bounds, Journal, JournalError, Kind, Remembered, hash};

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

    fn segments(&self) -> Vec<PathBuf> {
        let folder = fs::read_dir(self.0.join("MetaTagGenie/undo")).expect("a folder");
        let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "segment"));
        files.sort();
        files
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

/// A change of a file from one version to the next.
fn change<'a>(path: &'a Path, old: &'a [u8], new: &'a [u8]) -> Remembered<'a> {
    Remembered { path, old, new, kind: Kind::Change, batch: None }
}

fn found(journal: &Journal, path: &Path, now: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
    let found = journal.history()?.find(path, &hash(now), Kind::Change, None)?;
    Ok(found.map(|(_, entry)| entry.undo(now).expect("undone")))
}

#[test]
fn a_change_is_found_by_what_the_file_is_now() {
    let scratch = Scratch::new();
    let journal = scratch.journal(BOUNDS);
    let (path, other) = (Path::new("/a/图.jpg"), Path::new("/b.jpg"));
    for number in 0..5 {
        journal.record(change(path, &text(number), &text(number + 1))).expect("recorded");
    }
    journal.record(change(other, &text(9), &text(3))).expect("recorded");
    assert_eq!(found(&journal, path, &text(3)).expect("read"), Some(text(2)));
    assert_eq!(found(&journal, path, &text(7)).expect("read"), None);
    assert_eq!(found(&journal, Path::new("/c.jpg"), &text(3)).expect("read"), None);
    let history = journal.history().expect("read");
    assert!(history.knows(other, Kind::Change) && !history.knows(Path::new("/c.jpg"), Kind::Change));
    assert!(!history.knows(other, Kind::Undone));
    let (record, entry) =
        history.find(path, &hash(&text(3)), Kind::Change, None).expect("read").expect("found");
    let _ = entry.undo(b"something else altogether").expect_err("another file");
    history.forget(&[record]);
    assert_eq!(found(&journal, path, &text(3)).expect("read"), None);
    assert_eq!(found(&journal, path, &text(5)).expect("read"), Some(text(4)));
}

#[test]
fn the_same_change_is_not_found_twice() {
    let scratch = Scratch::new();
    let journal = scratch.journal(BOUNDS);
    let path = Path::new("/a.jpg");
    for (old, new) in [(1, 2), (2, 1), (1, 2), (2, 1)] {
        journal.record(change(path, &text(old), &text(new))).expect("recorded");
    }
    let history = journal.history().expect("read");
    let (mut now, mut before, mut steps) = (text(1), None, 0);
    while let Some((record, entry)) =
        history.find(path, &hash(&now), Kind::Change, before.as_ref()).expect("read")
    {
        now = entry.undo(&now).expect("undone");
        before = Some(record);
        steps += 1;
    }
    assert_eq!((now, steps), (text(1), 4));
}

/// What no delta makes shorter.
fn noise(length: u32) -> Vec<u8> {
    (0..length / 4).flat_map(|number| number.wrapping_mul(0x9E37_79B9).to_le_bytes()).collect()
}

#[test]
fn the_oldest_go_when_there_are_too_many() {
    let scratch = Scratch::new();
    let bounds = Bounds { segment: 2048, entry: 4_000, all: 3 * 2048, all_in_batch: 20 * 2048 };
    let journal = scratch.journal(bounds);
    let path = Path::new("/a.jpg");
    for number in 0..100 {
        journal.record(change(path, &text(number), &text(number + 1))).expect("recorded");
    }
    let is_known = |number: usize| found(&journal, path, &text(number)).expect("read").is_some();
    let known: Vec<usize> = (0..110).filter(|number| is_known(*number)).collect();
    assert!(known.len() > 20 && known.len() < 40, "{known:?}");
    assert_eq!(known, (101 - known.len()..=100).collect::<Vec<_>>());
    assert_eq!(scratch.segments().len(), 3);
    let long = noise(3_000);
    for number in 130..135 {
        journal.record(change(path, &long, &text(number))).expect("recorded");
        assert_eq!(found(&journal, path, &text(number)).expect("read"), Some(long.clone()));
    }
    let size: u64 = scratch.segments().iter().map(|path| fs::metadata(path).expect("there").len()).sum();
    assert!(size <= 3 * 2048, "{size}");
    let refused = journal.record(change(path, &noise(5_000), b""));
    assert!(matches!(refused, Err(JournalError::TooLarge { limit: 4_000, .. })), "{refused:?}");
}

/// Whatever else is changed meanwhile, by this process or by another one.
#[test]
fn a_batch_is_kept_whole_while_it_is_written() {
    let scratch = Scratch::new();
    let bounds = Bounds { segment: 2048, entry: 4_000, all: 3 * 2048, all_in_batch: 30 * 2048 };
    let (journal, beside) = (scratch.journal(bounds), scratch.journal(bounds));
    let batch = BatchId::new();
    let paths: Vec<PathBuf> = (0..100).map(|number| PathBuf::from(format!("/{number:03}.jpg"))).collect();
    let other = Path::new("/other.jpg");
    let held = (journal.hold().expect("held"), beside.hold().expect("held by another one, too"));
    for path in &paths {
        let change = Remembered { batch: Some(batch), ..change(path, b"old", b"new") };
        journal.record(change).expect("recorded");
        beside.record(self::change(other, b"old", b"new")).expect("recorded");
    }
    drop(held.1);
    let history = journal.history().expect("read");
    assert_eq!(history.batches(Kind::Change).next(), Some(batch));
    assert_eq!(history.files_of(batch, Kind::Change), paths);
    assert_eq!(history.files_of(BatchId::new(), Kind::Change), Vec::<PathBuf>::new());
    assert_eq!(BatchId::parse(&batch.to_string()), Some(batch));
    let full = (0..1000).find_map(|_| beside.record(change(other, b"old", b"new")).err());
    assert!(matches!(full, Some(JournalError::Full { .. })), "{full:?}");
    assert_eq!(journal.history().expect("read").files_of(batch, Kind::Change), paths);
    drop(held.0);
    beside.record(change(other, b"old", b"newer")).expect("there is room again");
    assert!(scratch.segments().len() <= 3);
}

#[test]
fn what_is_damaged_costs_nothing_else() {
    let scratch = Scratch::new();
    let journal = scratch.journal(BOUNDS);
    let (path, other) = (Path::new("/a.jpg"), Path::new("/b.jpg"));
    journal.record(change(path, &text(1), &text(2))).expect("recorded");
    journal.record(change(other, &text(1), &text(2))).expect("recorded");
    let file = scratch.segments().remove(0);
    let whole = fs::read(&file).expect("the journal");
    for damaged in 0..128 {
        let mut bytes = whole.clone();
        bytes[damaged] ^= 1;
        fs::write(&file, bytes).expect("damage");
        assert!(!matches!(found(&journal, path, &text(2)), Ok(Some(other)) if other != text(1)), "{damaged}");
        assert_eq!(found(&journal, other, &text(2)).expect("read"), Some(text(1)), "byte {damaged}");
        let another = scratch.journal(BOUNDS);
        another.record(change(path, &text(3), &text(4))).expect("recorded");
        assert_eq!(found(&another, path, &text(4)).expect("read"), Some(text(3)), "byte {damaged}");
    }
    let mut bytes = whole.clone();
    bytes[70] ^= 1;
    fs::write(&file, bytes).expect("damage");
    let refused = found(&journal, path, &text(2)).expect_err("damaged").to_string();
    assert!(refused.contains("all others still can"), "{refused}");
    for cut in [0, 7, 64, 100, 200] {
        fs::write(&file, &whole[..cut]).expect("damage");
        assert!(!matches!(found(&journal, other, &text(2)), Ok(Some(_))), "cut at {cut}");
        let journal = scratch.journal(BOUNDS);
        journal.record(change(path, &text(3), &text(4))).expect("recorded");
        journal.record(change(path, &text(4), &text(5))).expect("recorded");
        assert_eq!(found(&journal, path, &text(4)).expect("read"), Some(text(3)), "cut at {cut}");
        assert_eq!(found(&journal, path, &text(5)).expect("read"), Some(text(4)), "cut at {cut}");
    }
    assert!(matches!(Journal::new(None).record(change(path, b"a", b"b")), Err(JournalError::NoHome)));
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
                    journal.record(change(&path, &text(number), &text(number + 1))).expect("recorded");
                }
            });
        }
    });
    let journal = scratch.journal(BOUNDS);
    for (writer, number) in (0..4).flat_map(|writer| (1..=25).map(move |number| (writer, number))) {
        let path = PathBuf::from(format!("/{writer}.jpg"));
        assert!(found(&journal, &path, &text(number)).expect("read").is_some(), "{writer} {number}");
    }
}

#[test]
fn what_is_no_segment_of_ours_is_not_read() {
    let scratch = Scratch::new();
    let journal = scratch.journal(BOUNDS);
    let path = Path::new("/a.jpg");
    journal.record(change(path, &text(0), &text(1))).expect("remembered");
    let folder = scratch.0.join("MetaTagGenie/undo");
    crate::sys::link("/dev/zero", folder.join("00000000000000f0.segment"));
    let sparse = fs::File::create(folder.join("0000000000000000.segment")).expect("a file");
    sparse.set_len(1 << 40).expect("a length");
    assert_eq!(found(&journal, path, &text(1)).expect("read"), Some(text(0)));
    let other = scratch.journal(BOUNDS);
    other.record(change(path, &text(1), &text(2))).expect("remembered");
    assert_eq!(found(&other, path, &text(2)).expect("read"), Some(text(1)));
}

/// Neither where the last segment is looked for, nor where the next one would be made.
#[test]
fn what_links_lead_to_is_left_alone() {
    let scratch = Scratch::new();
    let journal = scratch.journal(Bounds { segment: 512, ..BOUNDS });
    let path = Path::new("/a.jpg");
    journal.record(change(path, &text(0), &text(1))).expect("remembered");
    let theirs = scratch.0.join("theirs");
    fs::write(&theirs, "theirs").expect("a file");
    for number in 2..100 {
        crate::sys::link(&theirs, scratch.0.join(format!("MetaTagGenie/undo/{number:016x}.segment")));
    }
    for number in 1..9 {
        journal.record(change(path, &text(number), &text(number + 1))).expect("remembered");
        assert_eq!(found(&journal, path, &text(number + 1)).expect("read"), Some(text(number)));
    }
    assert_eq!(fs::read(&theirs).expect("a file"), b"theirs");
}
