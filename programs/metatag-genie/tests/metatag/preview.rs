//! `previewImageMetadata`.

use std::fs;

use serde_json::json;

use crate::genie::{each_way, genie};
use crate::{heic, pictures};

#[test]
fn a_preview_says_what_a_write_then_does_and_writes_nothing() {
    let mut genie = genie();
    for path in pictures::all(&genie.folder) {
        genie.write(&path, &json!({ "tags": ["old"], "description": "stays" }));
        let before = fs::read(&path).expect("the picture");
        let arguments = json!({ "filePath": path, "metadata": { "tags": ["new"], "location": "here" } });
        let (data, text) = genie.ask("previewImageMetadata", arguments.clone());
        assert_eq!(fs::read(&path).expect("the picture"), before);
        assert_eq!(data["wouldWrite"], true);
        let change = &data["changes"][0];
        assert_eq!((&change["name"], &change["field"]), (&json!("dc:subject"), &json!("tags")), "{data}");
        assert_eq!((&change["before"], &change["after"]), (&json!(["old"]), &json!(["new"])));
        assert!(text.contains("old → new"), "{text}");
        assert!(!text.contains("stays"), "{text}");
        genie.call(&arguments);
        assert_eq!(data["sizeAfter"], fs::metadata(&path).expect("the picture").len());
        let (data, _) = genie.ask("previewImageMetadata", arguments);
        assert_eq!((&data["wouldWrite"], &data["changes"]), (&json!(false), &json!([])));
    }
}

#[test]
fn notes_are_told_before_the_write() {
    let mut genie = genie();
    let path = genie.folder.file("a.heic", &heic::picture());
    genie.write(&path, &json!({ "description": "first" }));
    let arguments = json!({ "filePath": path, "metadata": { "description": "second" }, "overwrite": false });
    let (data, text) = genie.ask("previewImageMetadata", arguments);
    assert_eq!(data["notes"], json!(["a description was there already and stays"]), "{text}");
}

#[test]
fn what_would_fail_fails_in_the_preview() {
    each_way(|genie| {
        let path = genie.folder.file("cut.jpg", &pictures::jpeg()[..30]);
        let arguments = json!({ "filePath": path, "metadata": { "tags": ["a"] } });
        assert_eq!(genie.refusal("previewImageMetadata", &arguments)["code"], -32005);
        let arguments = json!({ "filePath": path, "metadata": { "tag": ["a"] } });
        assert_eq!(genie.refusal("previewImageMetadata", &arguments)["code"], -32602);
    });
}
