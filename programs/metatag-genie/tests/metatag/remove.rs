//! `removeImageTags`.

use std::fs;

use serde_json::json;

use crate::exiftool::{list, put};
use crate::genie::genie;
use crate::pictures;

#[test]
fn tags_go_from_every_store_and_the_others_stay() {
    let mut genie = genie();
    for path in pictures::all(&genie.folder) {
        genie.write(&path, &json!({ "tags": ["家庭", "海滩", "Jose\u{301}"], "people": ["张三"] }));
        put(&path, &["-XMP-lr:HierarchicalSubject=地点|海滩", "-XMP-lr:HierarchicalSubject=家庭"]);
        let arguments = json!({ "filePath": path, "tags": [" 海滩 ", "José", "没有"] });
        let (data, text) = genie.ask("removeImageTags", arguments.clone());
        assert_eq!((&data["changed"], &data["missing"]), (&json!(true), &json!(["没有"])), "{text}");
        for tag in ["XMP-dc:Subject", "XMP-digiKam:TagsList"] {
            assert_eq!(list(&path, tag), ["家庭", "张三"], "{tag}");
        }
        assert_eq!(list(&path, "XMP-lr:HierarchicalSubject"), ["家庭", "张三"]);
        assert_eq!(list(&path, "XMP-iptcExt:PersonInImage"), ["张三"]);
        let before = fs::read(&path).expect("the picture");
        let (data, _) = genie.ask("removeImageTags", arguments);
        assert_eq!((&data["changed"], &data["removed"]), (&json!(false), &json!([])));
        assert_eq!(fs::read(&path).expect("the picture"), before);
    }
    assert_eq!(list(&genie.folder.path("a.jpg"), "IPTC:Keywords"), ["家庭", "张三"]);
}

#[test]
fn a_tag_is_named_by_its_path_too() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    let metadata = json!({ "tags": ["Places|France", "Places|Spain", "Art|Moon", "Sky|Moon", "AC/DC"] });
    genie.write(&path, &metadata);
    let tags = ["Places|France", "Places/Spain", "Art|Moon", "Art|AC/DC", "Places"];
    let (data, text) = genie.ask("removeImageTags", json!({ "filePath": path, "tags": tags }));
    assert_eq!(data["removed"], json!(["Places|France", "Places/Spain"]), "{text}");
    // Another path leads to the moon as well.
    assert_eq!(data["missing"], json!(["Art|Moon", "Art|AC/DC", "Places"]), "{text}");
    assert_eq!(list(&path, "XMP-digiKam:TagsList"), ["Art/Moon", "Sky/Moon", "AC/DC"]);
}

#[test]
fn people_go_only_when_they_are_named() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    genie.write(&path, &json!({ "tags": ["a"], "people": ["Ada", "Bob"] }));
    genie.ask("removeImageTags", json!({ "filePath": path, "tags": ["Ada"] }));
    assert_eq!(list(&path, "XMP-iptcExt:PersonInImage"), ["Ada", "Bob"]);
    assert_eq!(list(&path, "XMP-dc:Subject"), ["a", "Bob"]);
    let arguments = json!({ "filePath": path, "tags": [], "people": ["Bob", "a"] });
    let (data, text) = genie.ask("removeImageTags", arguments);
    assert_eq!((&data["removed"], &data["missing"]), (&json!(["Bob"]), &json!(["a"])), "{text}");
    assert_eq!(list(&path, "XMP-iptcExt:PersonInImage"), ["Ada"]);
    assert_eq!(list(&path, "XMP-dc:Subject"), ["a"]);
}

#[test]
fn arguments_are_checked() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    for (arguments, code) in [
        (json!({ "filePath": path, "tags": [] }), -32602),
        (json!({ "filePath": path, "tags": vec!["a"; 1001] }), -32602),
        (json!({ "filePath": path, "tags": ["a"], "all": true }), -32602),
        (json!({ "filePath": path, "tags": ["\u{1}"] }), -32007),
        (json!({ "filePath": genie.folder.path("gone"), "tags": ["a"] }), -32001),
    ] {
        assert_eq!(genie.refusal("removeImageTags", &arguments)["code"], code, "{arguments}");
    }
}
