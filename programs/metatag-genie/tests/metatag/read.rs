//! `readImageMetadata`.

use mcp::Version;
use serde_json::json;

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
