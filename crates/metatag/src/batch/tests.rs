use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use files::Roots;

use super::{Batch, Depth, Selection, Summary};
use crate::model::{Details, Mode, Modified, Wish};
use crate::write::Writer;

const PICTURE: &[u8] = b"\xff\xd8\xff\xdb\0\x03x\xff\xda\0\x02picture\xff\xd9";

struct Scratch(PathBuf);

impl Scratch {
    fn new(files: &[&str]) -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("deskmate-batch-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let scratch = Scratch(fs::canonicalize(folder).expect("a real path"));
        for name in files {
            let path = scratch.0.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let content =
                if Path::new(name).extension().is_some_and(|e| e == "txt") { b"text" } else { PICTURE };
            fs::write(path, content).expect("a file");
        }
        scratch
    }

    fn run(&self, selection: Selection, stop_after: usize) -> Summary {
        let roots = Roots::new([self.0.clone()]);
        let wish = Wish {
            tags: Some(vec!["a".into()]),
            description: None,
            people: None,
            location: None,
            details: Details::new(),
            mode: Mode::Overwrite,
            modified: Modified::Now,
        };
        let (writer, files) = (Writer::default(), selection.files(&roots).expect("files"));
        let batch = Batch { writer: &writer, roots: &roots, change: (&wish).into() };
        batch.run(files, |step| {
            assert!(step.done <= step.total);
            if step.done >= stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(summary: &Summary, scratch: &Scratch) -> Vec<String> {
    let below = |path: &String| path.strip_prefix(&format!("{}/", scratch.0.display())).map(str::to_owned);
    summary.results.iter().filter_map(|row| below(&row.file_path)).collect()
}

#[test]
fn a_folder_is_searched_as_deep_as_wanted() {
    let scratch = Scratch::new(&["b.jpg", "a.jpg", "notes.txt", "below/c.jpg", ".hidden/d.jpg", ".e.jpg"]);
    crate::sys::link(scratch.0.join("below"), scratch.0.join("link"));
    let flat = scratch.run(Selection::Folder { path: scratch.0.clone(), depth: Depth::Flat }, 99);
    assert_eq!(names(&flat, &scratch), ["a.jpg", "b.jpg"]);
    assert_eq!((flat.total, flat.written, flat.skipped, flat.success), (3, 2, 1, true));
    let deep = scratch.run(Selection::Folder { path: scratch.0.clone(), depth: Depth::Recursive }, 99);
    assert_eq!(names(&deep, &scratch), ["a.jpg", "b.jpg", "below/c.jpg"]);
    assert_eq!((deep.written, deep.unchanged), (1, 2));
    let glob = scratch.run(Selection::Glob(format!("{}/**/[c-z]*.jpg", scratch.0.display())), 99);
    assert_eq!(names(&glob, &scratch), ["below/c.jpg"]);
}

#[test]
fn failures_come_first_and_stop_nothing() {
    let scratch = Scratch::new(&["a.jpg", "b.txt", "c.jpg"]);
    let path = |name: &str| scratch.0.join(name);
    let paths = vec![path("a.jpg"), path("b.txt"), path("gone.jpg"), PathBuf::from("c.jpg"), path("c.jpg")];
    let summary = scratch.run(Selection::Paths(paths), 99);
    let codes: Vec<_> =
        summary.results.iter().map(|row| row.error.as_ref().map(|error| error.code)).collect();
    assert_eq!(codes, [Some(-32004), Some(-32001), Some(-32602), None, None]);
    assert_eq!((summary.written, summary.failed, summary.success), (2, 3, false));
}

#[test]
fn a_stop_leaves_the_rest_alone() {
    let files: Vec<String> = (0..40).map(|number| format!("{number:02}.jpg")).collect();
    let scratch = Scratch::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let summary = scratch.run(Selection::Folder { path: scratch.0.clone(), depth: Depth::Flat }, 5);
    // Those under way at the stop are finished.
    assert!((5..=8).contains(&summary.written), "{summary:?}");
    assert_eq!(summary.not_attempted, 40 - summary.written);
    assert!(summary.cancelled && !summary.success);
    let untouched =
        files.iter().filter(|name| fs::read(scratch.0.join(name)).expect("there") == PICTURE).count();
    assert_eq!(untouched, summary.not_attempted);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let scratch = Scratch::new(&["a.jpg"]);
    let roots = Roots::new([scratch.0.clone()]);
    let folder = |path: &str| Selection::Folder { path: scratch.0.join(path), depth: Depth::Flat };
    assert_eq!(folder("gone").files(&roots).expect_err("gone").code(), Some(-32001));
    assert_eq!(folder("a.jpg").files(&roots).expect_err("a file").code(), None);
    assert_eq!(Selection::Glob("/*/*".into()).files(&roots).expect_err("outside").code(), Some(-32002));
    let many = vec![PathBuf::from("/a"); super::MOST_PATHS + 1];
    assert_eq!(Selection::Paths(many).files(&roots).expect_err("too many").code(), None);
}
