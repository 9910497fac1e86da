//! Files made to be slow or large to read: each is written or refused within bounds of time and memory, which the system
//! enforces. So each runs in a process of its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed, and says why"
)]
#![allow(
    clippy::trivially_copy_pass_by_ref,
    clippy::format_collect,
    clippy::large_stack_arrays,
    clippy::print_stdout,
    reason = "files are put together as they are easiest to read, and what went wrong is said"
)]

mod files;

use std::path::{Path, PathBuf};
use std::process::Command;

use ::files::{Home, Roots};
use metatag::model::{Details, Mode, Modified, Wish};
use metatag::undo::Journal;
use metatag::write::Writer;

/// Of processor time, in seconds. A debug build takes some ten times as long as a release build, and what is quadratic takes
/// minutes.
const CPU: u32 = 15;
/// Of memory, in bytes.
const MEMORY: u32 = 256 << 20;

const FOLDER: &str = "METATAG_HOSTILE_FOLDER";

/// Starts this test again in a bounded process, or is that process.
#[track_caller]
fn check(test: &str, file: impl FnOnce() -> Vec<u8>, tags: usize) {
    check_with(test, file, |folder| change(folder, tags));
}

#[track_caller]
fn check_with(test: &str, file: impl FnOnce() -> Vec<u8>, work: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) {
        return work(&folder);
    }
    let folder = std::env::temp_dir().join(format!("deskmate-hostile-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("file"), file()).expect("a file");
    let output = Command::new("prlimit")
        .args([format!("--cpu={CPU}"), format!("--data={MEMORY}")])
        .arg(std::env::current_exe().expect("this test"))
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, &folder)
        .output()
        .expect("prlimit, of util-linux, is installed");
    let _ = std::fs::remove_dir_all(&folder);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{}: {said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Reads the file, changes it, and takes the change back: all that a client can have done to it.
fn change(folder: &Path, tags: usize) {
    let (writer, roots, path) = open(folder);
    let wish = wish(tags);
    let before = std::fs::read(&path).expect("the file");
    let read = writer.read(&roots, &path).map(|_| ());
    let written = writer.write(&roots, &path, &wish).map(|_| ());
    println!("read: {read:?}\nwritten: {written:?}");
    if written.is_ok() {
        writer.revert(&roots, &path, metatag::undo::Direction::Undo, 1).expect("undone");
    }
    assert!(std::fs::read(&path).expect("the file") == before);
}

fn open(folder: &Path) -> (Writer, Roots, PathBuf) {
    let home = Home::from_environment(|name| (name == "DESKMATE_HOME").then(|| folder.join("state").into()));
    (Writer::new(Journal::new(home.ok())), Roots::new([folder.to_owned()]), folder.join("file"))
}

fn wish(tags: usize) -> Wish {
    Wish {
        tags: Some((0..tags).map(|number| format!("tag {number}")).collect()),
        description: Some("text".into()),
        people: None,
        location: None,
        details: Details::new(),
        mode: Mode::Append,
        modified: Modified::Now,
    }
}

macro_rules! hostile {
    ($($test:ident: $file:expr;)*) => {
        $(#[test]
        fn $test() {
            check(stringify!($test), $file, 3);
        })*
    };
}

hostile! {
    jpeg_of_many_segments: files::jpeg_of_many_segments;
    jpeg_of_many_packets: files::jpeg_of_many_packets;
    jpeg_of_restart_markers: files::jpeg_of_restart_markers;
    jpeg_of_many_resources: files::jpeg_of_many_resources;
    jpeg_of_long_resources: files::jpeg_of_long_resources;
    jpeg_of_a_long_exif: files::jpeg_of_a_long_exif;
    jpeg_of_many_records: files::jpeg_of_many_records;
    jpeg_of_very_many_records: files::jpeg_of_very_many_records;
    png_of_many_descriptions: files::png_of_many_descriptions;
    png_of_a_long_description: files::png_of_a_long_description;
    png_of_compressed_texts: files::png_of_compressed_texts;
    png_of_many_compressed_texts: files::png_of_many_compressed_texts;
    png_of_long_namespaces: files::png_of_long_namespaces;
    png_of_a_long_attribute: files::png_of_a_long_attribute;
    heic_of_many_references: files::heic_of_many_references;
    heic_of_many_boxes: files::heic_of_many_boxes;
    webp_of_many_chunks: files::webp_of_many_chunks;
    tiff_of_shared_strips: files::tiff_of_shared_strips;
    tiff_of_many_descriptions: files::tiff_of_many_descriptions;
    tiff_of_shared_packets: files::tiff_of_shared_packets;
    tiff_of_shared_descriptions: files::tiff_of_shared_descriptions;
    tiff_of_long_values: files::tiff_of_long_values;
    png_of_many_namespaces: files::png_of_many_namespaces;
    png_of_many_keywords: files::png_of_many_keywords;
    png_of_many_nodes: files::png_of_many_nodes;
    png_of_many_properties: files::png_of_many_properties;
    png_of_many_attributes: files::png_of_many_attributes;
    png_of_ever_new_namespaces: files::png_of_ever_new_namespaces;
    png_of_a_long_text_in_xmp: files::png_of_a_long_text_in_xmp;
    png_of_many_character_references: files::png_of_many_character_references;
    png_of_many_levels: files::png_of_many_levels;
    png_of_a_long_exif: files::png_of_a_long_exif;
    png_of_many_creators: files::png_of_many_creators;
    tiff_of_many_windows_keywords: files::tiff_of_many_windows_keywords;
}

#[test]
fn sixty_thousand_tags() {
    check("sixty_thousand_tags", files::small_png, 60_000);
}

/// A document of another program that is too large to be read is not replaced by a small one of ours.
#[test]
fn png_of_many_categories() {
    check_with("png_of_many_categories", files::png_of_many_categories, |folder| {
        let (writer, roots, path) = open(folder);
        let refused = writer.write(&roots, &path, &wish(3)).expect_err("too many");
        assert!(refused.to_string().contains("1 MiB of ACDSee categories"), "{refused}");
    });
}

#[test]
fn sidecar_of_many_keywords() {
    check_with("sidecar_of_many_keywords", files::sidecar_of_many_keywords, |folder| {
        let (writer, roots, path) = open(folder);
        let sidecar = path.with_extension("xmp");
        std::fs::rename(&path, &sidecar).expect("renamed");
        let refused = writer.write(&roots, &sidecar, &wish(3)).expect_err("too many");
        assert!(refused.to_string().contains("131,072 elements and attributes"), "{refused}");
    });
}

/// Each step of an undo makes the whole picture again; they must not all be held.
#[test]
fn many_steps_of_a_large_picture() {
    const STEPS: u32 = 16;
    let test = "many_steps_of_a_large_picture";
    check_with(test, files::large_jpeg, |folder| {
        let (writer, roots, path) = open(folder);
        for number in 0..STEPS {
            let description = Some(format!("text {number}"));
            let wish = Wish { description, ..wish(0) };
            writer.write(&roots, &path, &Wish { mode: Mode::Overwrite, ..wish }).expect("written");
        }
        writer.revert(&roots, &path, metatag::undo::Direction::Undo, STEPS).expect("undone");
        assert!(std::fs::read(&path).expect("the file") == files::large_jpeg());
    });
}
