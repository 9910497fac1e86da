//! The fields besides those of the contract, in every format, as others read them.

use std::fs;

use serde_json::{Value, json};

use crate::genie::genie;
use crate::{exiftool, pictures};

fn all() -> Value {
    json!({
        "title": "A day", "headline": "All of us", "creator": ["Ada", "Grace"], "copyright": "© Ada", "city": "Paris",
        "state": "Île-de-France", "country": "France", "rating": 4, "label": "Green",
        "dateTaken": "2024-05-01T18:30:05+02:00", "position": "48.8584, -2.2945"
    })
}

const EVERYWHERE: &[(&str, &[&str])] = &[
    ("XMP-dc:Title", &["A day"]),
    ("XMP-photoshop:Headline", &["All of us"]),
    ("XMP-dc:Creator", &["Ada", "Grace"]),
    ("XMP-dc:Rights", &["© Ada"]),
    ("XMP-photoshop:City", &["Paris"]),
    ("XMP-photoshop:State", &["Île-de-France"]),
    ("XMP-photoshop:Country", &["France"]),
    ("XMP-xmp:Rating", &["4"]),
    ("XMP-xmp:Label", &["Green"]),
    ("XMP-photoshop:DateCreated", &["2024:05:01 18:30:05+02:00"]),
    ("IFD0:Artist", &["Ada; Grace"]),
    ("IFD0:Copyright", &["© Ada"]),
    ("ExifIFD:DateTimeOriginal", &["2024:05:01 18:30:05"]),
    ("ExifIFD:OffsetTimeOriginal", &["+02:00"]),
];

#[test]
fn every_field_is_where_others_look_for_it() {
    let mut genie = genie();
    for path in pictures::all(&genie.folder) {
        let arguments = json!({ "paths": [path], "metadata": all() });
        let (summary, text) = genie.ask("batchWriteImageMetadata", arguments.clone());
        assert_eq!(summary["written"], 1, "{text}");
        for (tag, values) in EVERYWHERE {
            assert_eq!(exiftool::list(&path, tag), *values, "{tag} of {}", path.display());
        }
        let (read, _) = genie.ask("readImageMetadata", json!({ "filePath": path }));
        assert_eq!(read["details"]["position"], "48.8584, -2.2945");
        assert_eq!(read["details"]["dateTaken"], "2024-05-01T18:30:05+02:00");
        assert_eq!(genie.ask("batchWriteImageMetadata", arguments).0["unchanged"], 1);
        let appended =
            json!({ "paths": [path], "metadata": { "title": "B", "city": "Lyon" }, "overwrite": false });
        let (_, text) = genie.ask("batchWriteImageMetadata", appended);
        assert!(text.contains("a title was there already and stays"), "{text}");
    }
}

#[test]
fn what_is_no_date_position_or_rating_is_refused() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    for metadata in
        [json!({ "dateTaken": "yesterday" }), json!({ "position": "here" }), json!({ "rating": 6 })]
    {
        let refused =
            genie.refusal("batchWriteImageMetadata", &json!({ "paths": [path], "metadata": metadata }));
        assert_eq!(refused["code"], -32602, "{refused}");
    }
    assert_eq!(fs::read(&path).expect("the picture"), pictures::jpeg());
}

#[test]
fn the_date_of_the_file_can_be_kept() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&path).expect("a file").set_modified(then).expect("a time");
    let modified = || fs::metadata(&path).expect("a file").modified().expect("a time");
    let arguments = json!({ "paths": [path], "metadata": { "tags": ["a"] }, "fileModified": "keep" });
    genie.ask("batchWriteImageMetadata", arguments);
    assert_eq!(modified(), then);
    let arguments = json!({ "paths": [path], "metadata": { "tags": ["b"] }, "fileModified": "2001-09-09T03:46:41+02:00" });
    genie.ask("batchWriteImageMetadata", arguments);
    assert_eq!(modified(), then + std::time::Duration::from_secs(1));
}

#[test]
fn every_tool_answers_as_a_method_of_its_own() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    genie.write(&path, &json!({ "tags": ["a"] }));
    assert_eq!(
        genie.client.result("readImageMetadata", json!({ "filePath": path }))["keywords"],
        json!(["a"])
    );
    let removed = genie.client.result("removeImageTags", json!({ "filePath": path, "tags": ["a"] }));
    assert_eq!(removed["removed"], json!(["a"]));
    assert_eq!(genie.client.result("undoImageMetadata", json!({ "filePath": path }))["reverted"], 1);
    let arguments = json!({ "filePath": path, "metadata": { "tags": ["b"] } });
    assert_eq!(genie.client.result("previewImageMetadata", arguments)["wouldWrite"], true);
    let arguments = json!({ "paths": [path], "metadata": { "tags": ["b"] } });
    assert_eq!(genie.client.result("batchWriteImageMetadata", arguments)["written"], 1);
}
