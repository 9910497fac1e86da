//! The result.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::genie::each_way;
use crate::pictures;

#[test]
fn success_is_true() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            for overwrite in [true, false] {
                let metadata = json!({ "tags": ["a"] });
                let call = json!({ "filePath": path, "metadata": metadata, "overwrite": overwrite });
                assert_eq!(genie.call(&call)["success"], true);
            }
        }
    });
}

#[test]
fn file_path_is_the_processed_file() {
    each_way(|genie| {
        let path = genie.folder.file("图片 1.jpg", &pictures::jpeg());
        let link = genie.folder.path("link.jpg");
        symlink(&path, &link).expect("a link");
        for path in [path, link.clone()] {
            let object = genie.call(&json!({ "filePath": path, "metadata": { "tags": ["a"] } }));
            assert_eq!(object["filePath"], json!(path));
        }
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    });
}

#[test]
fn message_describes_the_success() {
    each_way(|genie| {
        let path = genie.folder.file("a.jpg", &pictures::jpeg());
        fs::hard_link(&path, genie.folder.path("b.jpg")).expect("another name");
        let message = genie.write(&path, &json!({ "tags": ["a"] }));
        assert!(message.starts_with("元数据已成功写入.") && message.contains("硬链接"), "{message}");
        assert_eq!(genie.write(&path, &json!({ "tags": ["a"] })), "元数据无需更改，文件未作修改.");
    });
}

#[test]
fn no_further_fields() {
    each_way(|genie| {
        let path = genie.folder.file("a.jpg", &pictures::jpeg());
        let object = genie.call(&json!({ "filePath": path, "metadata": { "tags": ["a"] } }));
        let mut names: Vec<&String> = object.as_object().expect("an object").keys().collect();
        names.sort();
        assert_eq!(names, ["filePath", "message", "success"]);
    });
}
