//! Whatever was written, undoing it gives the very bytes back.

use std::fs;
use std::path::PathBuf;

use files::{Home, Roots};
use metatag::container::Picture as File;
use metatag::stores::Container;
use metatag::undo::{Direction, Journal};
use metatag::write::{Effect, Writer};

use crate::generator::{Picture, Random, mode, picture, removal, wish};

const JPEG: &[u8] = b"\xff\xd8\xff\xdb\0\x03x\xff\xda\0\x02picture\xff\xd9";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\rIDATx\xdacd\xf8\xcfP\x0f\0\x03\x86\x01\x80Z4}k\0\0\0\0IEND\xaeB`\x82";

/// A file of a random picture; nothing if there are blocks that do not fit in.
fn file(random: &mut Random) -> Option<Vec<u8>> {
    let Picture { container, stores, .. } = picture(random);
    let base = match container {
        Container::Jpeg => JPEG,
        _ => PNG,
    };
    let parsed = File::parse(base).unwrap();
    parsed.rewrite(&stores).ok().map(|new| new.bytes)
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn whatever_was_written_can_be_undone_byte_for_byte() {
    let scratch = Scratch(std::env::temp_dir().join(format!("deskmate-metatag-undo-{}", std::process::id())));
    fs::create_dir_all(&scratch.0).unwrap();
    let home =
        Home::from_environment(|name| (name == "DESKMATE_HOME").then(|| scratch.0.join("state").into()));
    let writer = Writer::new(Journal::new(home.ok()));
    let roots = Roots::new([scratch.0.clone()]);
    let path = scratch.0.join("picture");
    let mut changes = 0;
    for case in 0..150 {
        let mut random = Random(case);
        let Some(original) = file(&mut random) else { continue };
        fs::write(&path, &original).unwrap();
        let mut versions = vec![original];
        for _ in 0..3 {
            let mode = mode(&mut random);
            let done = if random.chance(3) {
                writer.write(&roots, &path, &removal(&mut random))
            } else {
                writer.write(&roots, &path, &wish(&mut random, mode))
            };
            if done.is_ok_and(|done| done.effect == Effect::Written) {
                versions.push(fs::read(&path).unwrap());
            }
        }
        changes += versions.len() - 1;
        while versions.pop().is_some() {
            let undone = writer.revert(&roots, &path, Direction::Undo, 1);
            match versions.last() {
                Some(before) => {
                    undone.unwrap();
                    assert_eq!(&fs::read(&path).unwrap(), before, "case {case}");
                }
                None => assert!(undone.is_err(), "case {case}"),
            }
        }
    }
    assert!(changes > 150, "{changes}");
}
