//! The tool: what it is called, what it writes, and where.

use std::fs;
use std::path::Path;

use mcp::Version;
use serde_json::{Value, json};

use crate::exiftool::{complaints, list, put, read};
use crate::genie::{Genie, Way, each_way, genie};
use crate::{heic, pictures};

fn everything() -> Value {
    json!({
        "tags": ["家庭", "假期", "海滩"],
        "description": "一家人在海边，天气很好。",
        "people": ["张三", "李四"],
        "location": "法国巴黎埃菲尔铁塔",
    })
}

/// Checks what programs that are not ours find after [`everything`] was written.
#[track_caller]
fn check_everything(path: &Path) {
    let tags = read(path);
    let keywords = json!(["家庭", "假期", "海滩", "张三", "李四"]);
    assert_eq!(tags["XMP-dc:Subject"], keywords, "{tags:#}");
    assert_eq!(tags["XMP-digiKam:TagsList"], keywords);
    assert_eq!(tags["XMP-dc:Description"], "一家人在海边，天气很好。");
    assert_eq!(tags["IFD0:ImageDescription"], "一家人在海边，天气很好。");
    assert_eq!(tags["XMP-iptcExt:PersonInImage"], json!(["张三", "李四"]));
    assert_eq!(tags["XMP-iptcCore:Location"], "法国巴黎埃菲尔铁塔");
    assert_eq!(complaints(path), Vec::<String>::new());
}

#[test]
fn the_tool_is_listed_as_write_image_metadata() {
    let list = genie().client.result("tools/list", json!({}));
    let tool = &list["tools"][0];
    assert_eq!(tool["name"], "writeImageMetadata");
    assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    assert_eq!(tool["inputSchema"]["required"], json!(["filePath", "metadata"]));
}

#[test]
fn the_tool_answers_to_tools_call() {
    for version in Version::ALL {
        let mut genie = Genie::new(Way::Tool(version));
        let path = genie.folder.file("a.jpg", &pictures::jpeg());
        genie.write(&path, &everything());
        check_everything(&path);
    }
}

#[test]
fn the_tool_answers_to_the_bare_method_write_image_metadata() {
    let mut genie = Genie::new(Way::Bare);
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    let arguments = json!({ "filePath": path, "metadata": everything() });
    let result = genie.client.result("writeImageMetadata", arguments);
    assert_eq!(result, json!({ "success": true, "filePath": path, "message": "元数据已成功写入." }));
    check_everything(&path);
}

#[test]
fn writes_tags() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            genie.write(&path, &json!({ "tags": ["家庭", "假期"] }));
            assert_eq!(list(&path, "XMP-dc:Subject"), ["家庭", "假期"]);
            assert_eq!(list(&path, "XMP-digiKam:TagsList"), ["家庭", "假期"]);
        }
    });
}

#[test]
fn writes_description() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            genie.write(&path, &json!({ "description": "一家人在海边" }));
            for tag in ["XMP-dc:Description", "IFD0:ImageDescription"] {
                assert_eq!(list(&path, tag), ["一家人在海边"], "{tag}");
            }
        }
        assert_eq!(list(&genie.folder.path("a.jpg"), "IPTC:Caption-Abstract"), ["一家人在海边"]);
        assert_eq!(list(&genie.folder.path("a.png"), "PNG:Description"), ["一家人在海边"]);
    });
}

#[test]
fn writes_people_as_keywords() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            genie.write(&path, &json!({ "people": ["张三", "李四"] }));
            for tag in ["XMP-dc:Subject", "XMP-iptcExt:PersonInImage"] {
                assert_eq!(list(&path, tag), ["张三", "李四"], "{tag}");
            }
        }
        assert_eq!(list(&genie.folder.path("a.jpg"), "IPTC:Keywords"), ["张三", "李四"]);
    });
}

#[test]
fn writes_location_text() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            genie.write(&path, &json!({ "location": "法国巴黎埃菲尔铁塔" }));
            assert_eq!(list(&path, "XMP-iptcCore:Location"), ["法国巴黎埃菲尔铁塔"]);
        }
        assert_eq!(list(&genie.folder.path("a.jpg"), "IPTC:Sub-location"), ["法国巴黎埃菲尔铁塔"]);
    });
}

#[test]
fn writes_to_jpg() {
    each_way(|genie| {
        let old = pictures::jpeg();
        let path = genie.folder.file("a.jpg", &old);
        genie.write(&path, &everything());
        check_everything(&path);
        let tags = read(&path);
        assert_eq!(tags["IPTC:Keywords"], json!(["家庭", "假期", "海滩", "张三", "李四"]));
        assert_eq!(tags["IPTC:CodedCharacterSet"], "UTF8");
        assert_eq!(tags["Photoshop:IPTCDigest"], tags["File:CurrentIPTCDigest"]);
        // The picture follows the new segments as it was.
        let new = fs::read(&path).expect("the picture");
        assert!(new.ends_with(&old[20..]) && new.starts_with(&old[..20]));
    });
}

#[test]
fn writes_to_png() {
    each_way(|genie| {
        let old = pictures::png();
        let path = genie.folder.file("a.png", &old);
        genie.write(&path, &everything());
        check_everything(&path);
        let new = fs::read(&path).expect("the picture");
        assert!(new.ends_with(&old[33..]) && new.starts_with(&old[..33]));
    });
}

#[test]
fn writes_to_heic() {
    each_way(|genie| {
        let path = genie.folder.file("a.heic", &heic::picture());
        genie.write(&path, &everything());
        check_everything(&path);
        let new = fs::read(&path).expect("the picture");
        assert!(new.windows(heic::DATA.len()).any(|window| window == heic::DATA));
        assert_eq!(read(&path)["File:ImageWidth"], 64);
    });
}

#[test]
fn metadata_that_is_not_named_stays_as_it_was() {
    let others = [
        "-IFD0:Artist=Ada",
        "-ExifIFD:DateTimeOriginal=2024:05:06 07:08:09",
        "-GPS:GPSLatitude=48.85",
        "-XMP-xmp:Rating=4",
        "-XMP-dc:Title=标题",
        "-XMP-photoshop:City=巴黎",
    ];
    let is_expected = |tag: &str| {
        let bookkeeping = ["MetadataDate", "FileSize", "Date", "FileInode", "XMPToolkit", "Digest"];
        let ours = ["Subject", "TagsList", "Keywords", "ApplicationRecordVersion", "CodedCharacterSet"];
        bookkeeping.iter().any(|word| tag.contains(word)) || ours.iter().any(|name| tag.ends_with(name))
    };
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            put(&path, &others);
            let before = read(&path);
            genie.write(&path, &json!({ "tags": ["海滩"] }));
            let after = read(&path);
            let names = before.as_object().into_iter().chain(after.as_object()).flat_map(|tags| tags.keys());
            for name in names.filter(|name| !is_expected(name) || name.contains("DateTimeOriginal")) {
                assert_eq!(after[name], before[name], "{name} of {}", path.display());
            }
            assert_eq!(after["IFD0:Artist"], "Ada");
            assert_eq!(after["XMP-dc:Title"], "标题");
        }
    });
}
