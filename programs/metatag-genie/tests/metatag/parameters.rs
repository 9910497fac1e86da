//! Parameters: what must be given, what may be, and what each does.

use std::fs;

use serde_json::{Value, json};

use crate::exiftool::{list, put};
use crate::genie::each_way;
use crate::pictures;

/// Checks that these arguments are refused, and that the message names what is wrong.
fn refused(arguments: impl Fn(&str) -> Value, named: &str) {
    each_way(|genie| {
        let path = genie.folder.file("a.jpg", &pictures::jpeg());
        let error = genie.error(&arguments(path.to_str().expect("UTF-8")));
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(named)), "{error}");
        assert_eq!(fs::read(&path).expect("the picture"), pictures::jpeg());
    });
}

#[test]
fn file_path_is_required() {
    refused(|_| json!({ "metadata": { "tags": [] } }), "`filePath`");
}

#[test]
fn file_path_is_an_absolute_path() {
    refused(|_| json!({ "filePath": "a.jpg", "metadata": {} }), "`filePath`");
    refused(|_| json!({ "filePath": "./a.jpg", "metadata": {} }), "`filePath`");
    refused(|_| json!({ "filePath": "", "metadata": {} }), "`filePath`");
}

#[test]
fn metadata_is_required() {
    refused(|path| json!({ "filePath": path }), "`metadata`");
    refused(|path| json!({ "filePath": path, "metadata": null }), "`metadata`");
}

#[test]
fn every_field_of_metadata_is_optional() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            let old = fs::read(&path).expect("the picture");
            genie.write(&path, &json!({}));
            assert_eq!(fs::read(&path).expect("the picture"), old);
            for field in [
                json!({ "tags": ["a"] }),
                json!({ "description": "b" }),
                json!({ "people": ["c"] }),
                json!({ "location": "d" }),
            ] {
                genie.write(&path, &field);
            }
            assert_eq!(list(&path, "XMP-dc:Subject"), ["a", "c"]);
            assert_eq!(list(&path, "XMP-dc:Description"), ["b"]);
            assert_eq!(list(&path, "XMP-iptcCore:Location"), ["d"]);
        }
    });
}

/// Writes everything, then the description with the rest as given, and checks that the rest is as it was.
fn changes_nothing(rest: &Value) {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            genie.write(
                &path,
                &json!({ "tags": ["a"], "description": "b", "people": ["c"], "location": "d" }),
            );
            let mut metadata = rest.clone();
            metadata["description"] = json!("new");
            genie.write(&path, &metadata);
            assert_eq!(list(&path, "XMP-dc:Description"), ["new"]);
            assert_eq!(list(&path, "XMP-dc:Subject"), ["a", "c"]);
            assert_eq!(list(&path, "XMP-iptcExt:PersonInImage"), ["c"]);
            assert_eq!(list(&path, "XMP-iptcCore:Location"), ["d"]);
        }
    });
}

#[test]
fn an_omitted_field_changes_nothing() {
    changes_nothing(&json!({}));
}

#[test]
fn a_null_field_changes_nothing() {
    changes_nothing(&json!({ "tags": null, "people": null, "location": null }));
    each_way(|genie| {
        let path = genie.folder.file("a.jpg", &pictures::jpeg());
        genie.write(&path, &json!({ "tags": null, "description": null, "people": null, "location": null }));
        assert_eq!(fs::read(&path).expect("the picture"), pictures::jpeg());
    });
}

#[test]
fn unknown_parameter_is_refused() {
    refused(|path| json!({ "filePath": path, "metadata": {}, "dryRun": true }), "`dryRun`");
}

#[test]
fn unknown_metadata_field_is_refused() {
    refused(|path| json!({ "filePath": path, "metadata": { "title": "a" } }), "`metadata.title`");
}

#[test]
fn tags_and_people_are_arrays_of_strings() {
    for field in ["tags", "people"] {
        for value in [json!("a"), json!({}), json!(["a", 1]), json!([null])] {
            refused(|path| json!({ "filePath": path, "metadata": { field: value } }), field);
        }
    }
}

#[test]
fn description_and_location_are_strings() {
    for field in ["description", "location"] {
        for value in [json!(1), json!(["a"]), json!({}), json!(true)] {
            refused(|path| json!({ "filePath": path, "metadata": { field: value } }), field);
        }
    }
}

#[test]
fn overwrite_defaults_to_true() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            genie.write(&path, &json!({ "tags": ["old"], "description": "old" }));
            genie.write(&path, &json!({ "tags": ["new"], "description": "new" }));
            assert_eq!(list(&path, "XMP-dc:Subject"), ["new"]);
            assert_eq!(list(&path, "XMP-dc:Description"), ["new"]);
        }
    });
    refused(|path| json!({ "filePath": path, "metadata": {}, "overwrite": "yes" }), "`overwrite`");
}

#[test]
fn overwrite_true_replaces_the_given_fields() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            put(&path, &["-XMP-dc:Subject=old", "-XMP-dc:Description=old", "-XMP-iptcCore:Location=old"]);
            let metadata = json!({ "tags": ["new"], "description": "new" });
            genie.call(&json!({ "filePath": path, "metadata": metadata, "overwrite": true }));
            assert_eq!(list(&path, "XMP-dc:Subject"), ["new"]);
            assert_eq!(list(&path, "XMP-dc:Description"), ["new"]);
            assert_eq!(list(&path, "XMP-iptcCore:Location"), ["old"]);
            genie.write(&path, &json!({ "tags": [], "description": "", "location": "" }));
            for tag in ["XMP-dc:Subject", "XMP-dc:Description", "XMP-iptcCore:Location"] {
                assert!(list(&path, tag).is_empty(), "{tag}");
            }
        }
    });
}

#[test]
fn overwrite_false_appends_tags_and_people() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            put(&path, &["-XMP-dc:Subject=家庭", "-XMP-dc:Subject=旧"]);
            genie.append(&path, &json!({ "tags": ["家庭", "海滩"], "people": ["张三"] }));
            assert_eq!(list(&path, "XMP-dc:Subject"), ["家庭", "旧", "海滩", "张三"]);
            assert_eq!(list(&path, "XMP-iptcExt:PersonInImage"), ["张三"]);
            let once = fs::read(&path).expect("the picture");
            genie.append(&path, &json!({ "tags": ["海滩"], "people": ["张三"] }));
            assert_eq!(fs::read(&path).expect("the picture"), once);
        }
    });
}

#[test]
fn overwrite_false_on_an_existing_description_or_location() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            put(&path, &["-XMP-dc:Description=old"]);
            let message = genie.append(&path, &json!({ "description": "new", "location": "new" }));
            assert!(message.contains("description") && !message.contains("location"), "{message}");
            assert_eq!(list(&path, "XMP-dc:Description"), ["old"]);
            assert_eq!(list(&path, "XMP-iptcCore:Location"), ["new"]);
        }
    });
}

#[test]
fn non_ascii_text_is_written_and_read_back_unchanged() {
    let text = "中文 ελληνικά 日本語 한국어 עברית Ünïcödé 🏖️ <&\"'> a\nb";
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            genie.write(&path, &json!({ "tags": [text], "description": text, "location": text }));
            // exiftool shows a line end as a dot unless it is asked for JSON.
            for tag in ["XMP-dc:Subject", "XMP-dc:Description", "XMP-iptcCore:Location"] {
                assert_eq!(list(&path, tag), [text], "{tag}");
            }
        }
        let jpeg = genie.folder.path("a.jpg");
        for tag in ["IPTC:Keywords", "IPTC:Caption-Abstract", "IFD0:ImageDescription"] {
            assert_eq!(list(&jpeg, tag), [text], "{tag}");
        }
    });
}
