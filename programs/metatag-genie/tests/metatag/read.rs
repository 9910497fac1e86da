//! `readImageMetadata`.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use mcp::Version;
use serde_json::{Value, json};

use crate::exiftool::put;
use crate::genie::{Genie, Way, genie};
use crate::pictures;

#[test]
fn what_was_written_is_read_in_every_format() {
    for version in [Version::MODERN, Version::NEWEST_LEGACY] {
        let mut genie = Genie::new(Way::Tool(version));
        for (path, format) in pictures::all(&genie.folder).into_iter().zip(["JPEG", "PNG", "HEIC"]) {
            let metadata = json!({
                "tags": ["家庭", "海滩"], "people": ["张三"], "description": "一家人\n在海边", "location": "青岛",
            });
            genie.write(&path, &metadata);
            let (data, text) = genie.ask("readImageMetadata", json!({ "filePath": path }));
            assert_eq!(data["format"], format);
            assert_eq!(data["keywords"], json!(["家庭", "海滩", "张三"]));
            assert_eq!(data["people"], json!(["张三"]));
            assert_eq!(data["description"], "一家人\n在海边");
            assert_eq!(data["location"], "青岛");
            assert_eq!((&data["conflicts"], &data["faults"]), (&json!([]), &json!([])), "{text}");
            assert!(data["stores"].as_array().is_some_and(|stores| stores.len() >= 6), "{data}");
            assert!(text.contains("  description  一家人 在海边\n"), "{text}");
            assert!(text.contains("  XMP   dc:subject"), "{text}");
        }
    }
}

#[test]
fn stores_that_disagree_are_told_with_the_one_that_counts() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    put(
        &path,
        &["-XMP-dc:Description=new", "-IFD0:ImageDescription=old", "-XMP-dc:Subject=a", "-IPTC:Keywords=b"],
    );
    let (data, text) = genie.ask("readImageMetadata", json!({ "filePath": path }));
    assert_eq!(data["description"], "new");
    assert_eq!(data["conflicts"][0]["field"], "tags");
    assert_eq!(data["conflicts"][1]["between"], json!(["XMP dc:description", "EXIF ImageDescription"]));
    assert!(text.contains("XMP dc:description counts"), "{text}");
}

#[test]
fn iptc_that_was_changed_behind_the_back_of_xmp_is_told() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    genie.write(&path, &json!({ "description": "ours" }));
    let (data, _) = genie.ask("readImageMetadata", json!({ "filePath": path }));
    assert_eq!(data["iptcDigest"], "current");
    put(&path, &["-IPTC:Caption-Abstract=theirs"]);
    let (data, text) = genie.ask("readImageMetadata", json!({ "filePath": path }));
    assert_eq!((&data["iptcDigest"], &data["description"]), (&json!("stale"), &json!("theirs")), "{text}");
}

#[test]
fn a_store_that_cannot_be_read_does_not_hide_the_others() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    genie.write(&path, &json!({ "description": "ours" }));
    let mut bytes = std::fs::read(&path).expect("the picture");
    let at = bytes.windows(10).position(|window| window == b"</rdf:RDF>").expect("a packet");
    bytes[at..at + 10].copy_from_slice(b"<!rdf:RDF>");
    std::fs::write(&path, bytes).expect("damage");
    let (data, text) = genie.ask("readImageMetadata", json!({ "filePath": path }));
    assert_eq!(
        (&data["faults"][0]["store"], &data["description"]),
        (&json!("XMP"), &json!("ours")),
        "{text}"
    );
}

/// A long file that begins and ends like this, with nothing between.
fn long_file(path: &Path, start: &[u8], end: &[u8], size: u64) {
    let mut file = File::create(path).expect("a file");
    file.write_all(start).expect("its start");
    file.seek(SeekFrom::Start(size - end.len() as u64)).expect("its end");
    file.write_all(end).expect("its end");
}

#[test]
fn a_video_of_any_length_is_read_inside() {
    const FILM: u64 = 5 << 30;
    let mut genie = genie();
    let path = genie.folder.path("a.mp4");
    let start = [b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x01mdat".as_slice(), &FILM.to_be_bytes()].concat();
    let packet = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
                  xmlns:dc='http://purl.org/dc/elements/1.1/' dc:description='by the camera'/></rdf:RDF>";
    let kind = 0xBE7A_CFCB_97A9_42E8_9C71_9994_91E3_AFAC_u128.to_be_bytes();
    let length = u32::try_from(8 + kind.len() + packet.len()).expect("short").to_be_bytes();
    let end = [&length[..], b"uuid", &kind, packet.as_bytes()].concat();
    long_file(&path, &start, &end, 16 + FILM + end.len() as u64);
    let (data, text) = genie.ask("readImageMetadata", json!({ "filePath": path }));
    assert_eq!(data["description"], "by the camera", "{text}");
    assert_eq!(data["inFileFaults"], Value::Null);
}

#[test]
fn what_is_not_read_inside_a_file_is_told() {
    let mut genie = genie();
    let path = genie.folder.path("a.nef");
    long_file(&path, b"II*\0\x08\0\0\0", b"end", 300 << 20);
    let (data, text) = genie.ask("readImageMetadata", json!({ "filePath": path }));
    let reason = "it has 300.0 MiB, and of raw pictures at most 256.0 MiB are read";
    assert_eq!(data["inFileFaults"], json!([reason]));
    assert!(text.contains(&format!("Cannot be read: the file itself: {reason}")), "{text}");
    let damaged = genie.folder.file("b.nef", b"II*\0\xff\xff\xff\xff");
    let (data, text) = genie.ask("readImageMetadata", json!({ "filePath": damaged }));
    assert!(data["inFileFaults"][0].as_str().is_some_and(|reason| reason.contains("damaged")), "{text}");
}

#[test]
fn errors_have_the_codes_of_a_write() {
    let mut genie = genie();
    let text = genie.folder.file("a.txt", b"a text");
    let cut = genie.folder.file("cut.png", &pictures::png()[..40]);
    for (path, code) in [
        (genie.folder.path("gone.jpg"), -32001),
        ("/etc/hostname".into(), -32002),
        (text, -32004),
        (cut, -32006),
        ("a.jpg".into(), -32602),
    ] {
        let error = genie.refusal("readImageMetadata", &json!({ "filePath": path }));
        assert_eq!(error["code"], code, "{error}");
    }
}
