//! Error codes: the general ones and those of the tool.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::genie::{Folder, each_way, genie};
use crate::{heic, pictures};

/// What comes back for a line that is no request.
fn answer_to(line: &str) -> Value {
    let mut genie = genie();
    genie.client.send(line);
    let error = genie.client.receive()["error"].take();
    // It goes on.
    genie.client.result("tools/list", json!({}));
    error
}

#[test]
fn parse_error() {
    assert_eq!(answer_to("{not json")["code"], -32700);
}

#[test]
fn invalid_request() {
    assert_eq!(answer_to(r#"{"jsonrpc":"2.0","id":1,"method":7}"#)["code"], -32600);
}

#[test]
fn method_not_found() {
    let mut genie = genie();
    assert_eq!(genie.client.error("writeMetadata", json!({}))["code"], -32601);
    let call = json!({ "name": "writeMetadata", "arguments": {} });
    assert_eq!(genie.client.error("tools/call", call)["code"], -32601);
}

#[test]
fn invalid_params() {
    each_way(|genie| {
        let error = genie.error(&json!({ "filePath": 7, "metadata": {} }));
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("filePath")), "{error}");
    });
}

#[test]
fn file_not_found() {
    each_way(|genie| {
        for name in ["nothing.jpg", "nothing.txt", "no folder/a.jpg", "图片.png"] {
            let path = genie.folder.path(name);
            let error = genie.error(&json!({ "filePath": path, "metadata": { "tags": ["a"] } }));
            assert_eq!(error["code"], -32001, "{error}");
            let expected = format!("文件未找到: {} (there is no such file; check the path)", path.display());
            assert_eq!(error["message"], expected);
        }
    });
}

#[test]
fn file_not_found_data_names_the_file_path() {
    each_way(|genie| {
        let path = genie.folder.path("nothing/at/all.jpg");
        let error = genie.error(&json!({ "filePath": path, "metadata": {} }));
        assert_eq!((&error["code"], &error["data"]), (&json!(-32001), &json!({ "filePath": path })));
    });
}

#[test]
fn outside_the_roots_nobody_learns_what_exists() {
    each_way(|genie| {
        let answers = ["/etc/hostname", "/nothing/at/all.jpg"].map(|path| {
            let error = genie.error(&json!({ "filePath": path, "metadata": {} })).to_string();
            error.replace(path, "…")
        });
        assert_eq!(answers[0], answers[1]);
        assert!(answers[0].contains("-32002"), "{}", answers[0]);
    });
}

/// The server as `nobody`, since root is refused nothing; the binary where `nobody` can reach it.
fn as_nobody(folder: &Folder) -> Client {
    let binary = folder.path("metatag-genie");
    fs::copy(env!("CARGO_BIN_EXE_metatag-genie"), &binary).expect("a copy");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).expect("a mode");
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o755)).expect("a mode");
    let am_root = Command::new("id").arg("-u").output().expect("id").stdout == b"0\n";
    let mut command = if am_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(binary);
        command
    } else {
        // Modes hold for whoever owns the file, too.
        Command::new(binary)
    };
    Client::process(command.env("HOME", folder.path("")).env_remove("DESKMATE_ROOTS"))
}

fn with_mode(path: &Path, mode: u32) -> &Path {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    path
}

#[test]
fn file_not_readable() {
    let folder = Folder::new();
    let closed = folder.file("closed.jpg", &pictures::jpeg());
    // Readability comes before the format.
    let closed_text = folder.file("closed.txt", b"a text");
    let mut client = as_nobody(&folder);
    for path in [with_mode(&closed, 0), with_mode(&closed_text, 0)] {
        let arguments = json!({ "filePath": path, "metadata": { "tags": ["a"] } });
        let call = json!({ "name": "writeImageMetadata", "arguments": arguments });
        for error in [client.error("tools/call", call), client.error("writeImageMetadata", arguments)] {
            assert_eq!(error["code"], -32002, "{error}");
            let message = error["message"].as_str().expect("a message");
            assert!(message.starts_with(&format!("文件不可读: {} (", path.display())), "{message}");
            assert!(
                message.ends_with("permission denied; give this user read access or choose another file)"),
                "{message}"
            );
            assert_eq!(error["data"]["filePath"], json!(path));
        }
    }
}

#[test]
fn what_is_outside_the_home_folder_is_not_read() {
    each_way(|genie| {
        let outside = Folder::new();
        let path = outside.file("a.jpg", &pictures::jpeg());
        let error = genie.error(&json!({ "filePath": path, "metadata": { "tags": ["a"] } }));
        assert_eq!(error["code"], -32002, "{error}");
        for place in [&error["data"]["reason"], &error["message"]] {
            assert!(place.as_str().is_some_and(|reason| reason.contains("DESKMATE_ROOTS")), "{error}");
        }
        let expected = format!("文件不可读: {} (outside the allowed folders; ", path.display());
        assert!(error["message"].as_str().is_some_and(|message| message.starts_with(&expected)), "{error}");
        assert_eq!(fs::read(path).expect("the picture"), pictures::jpeg());
    });
}

#[test]
fn file_not_writable() {
    let folder = Folder::new();
    let picture = folder.file("fixed.jpg", &pictures::jpeg());
    let text = folder.file("fixed.txt", b"a text");
    let mut client = as_nobody(&folder);
    let arguments = |path: &Path| json!({ "filePath": path, "metadata": { "tags": ["a"] } });
    let call = json!({ "name": "writeImageMetadata", "arguments": arguments(with_mode(&picture, 0o444)) });
    for error in [client.error("tools/call", call), client.error("writeImageMetadata", arguments(&picture))] {
        assert_eq!(error["code"], -32003, "{error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("文件不可写: {} (", picture.display())), "{message}");
        assert!(message.contains("give this user write access"), "{message}");
        assert_eq!(error["data"]["filePath"], json!(picture));
    }
    assert_eq!(fs::read(&picture).expect("the picture"), pictures::jpeg());
    // The format comes before writability.
    let error = client.error("writeImageMetadata", arguments(with_mode(&text, 0o444)));
    assert_eq!(error["code"], -32004, "{error}");
}

#[test]
fn unsupported_file_format() {
    each_way(|genie| {
        // The content decides, not the name.
        for (name, content) in [("a.jpg", "a text"), ("a.gif", "no picture"), ("empty.png", "")] {
            let path = genie.folder.file(name, content.as_bytes());
            let error = genie.error(&json!({ "filePath": path, "metadata": { "tags": ["a"] } }));
            assert_eq!(error["code"], -32004, "{error}");
            let expected = format!("不支持的文件格式: {}。仅支持 JPG, PNG, HEIC。 (", path.display());
            let message = error["message"].as_str().expect("a message");
            assert!(message.starts_with(&expected) && message.contains("WebP, GIF, TIFF"), "{message}");
        }
        let path = genie.folder.file("picture.txt", &pictures::png());
        genie.write(&path, &json!({ "tags": ["a"] }));
    });
}

#[test]
fn metadata_write_failed() {
    each_way(|genie| {
        let [jpeg, png, heic] = [pictures::jpeg(), pictures::png(), heic::picture()];
        for (name, content) in [("a.jpg", &jpeg[..30]), ("a.png", &png[..40]), ("a.heic", &heic[..60])] {
            let path = genie.folder.file(name, content);
            let error = genie.error(&json!({ "filePath": path, "metadata": { "tags": ["a"] } }));
            assert_eq!(error["code"], -32005, "{error}");
            let message = error["message"].as_str().expect("a message");
            let expected = format!("元数据写入失败: {}。原因: ", path.display());
            assert!(message.starts_with(&expected) && message.len() > expected.len(), "{message}");
            assert_eq!(fs::read(&path).expect("the picture"), content);
        }
    });
}

#[test]
fn invalid_metadata_structure() {
    each_way(|genie| {
        let path = genie.folder.file("a.jpg", &pictures::jpeg());
        for metadata in [
            json!({ "tags": ["a\u{0}b"] }),
            json!({ "description": "\u{1b}[0m" }),
            json!({ "people": ["\u{ffff}"] }),
            json!({ "location": "\u{b}" }),
        ] {
            let error = genie.error(&json!({ "filePath": path, "metadata": metadata }));
            assert_eq!(error["code"], -32007);
            let message = error["message"].as_str().expect("a message");
            assert!(
                message.starts_with("提供的元数据结构无效。 (`") && message.ends_with("remove it)"),
                "{message}"
            );
            assert_eq!(error["data"]["filePath"], json!(path));
        }
        assert_eq!(fs::read(&path).expect("the picture"), pictures::jpeg());
    });
}

#[test]
fn a_read_only_file_system_is_called_one() {
    let (folder, state) = (Folder::new(), Folder::new());
    let path = folder.file("a.jpg", &pictures::jpeg());
    let am_root = Command::new("id").arg("-u").output().expect("id").stdout == b"0\n";
    // In mounts of its own, so that nobody else sees it.
    let spaces: &[&str] = if am_root { &["--mount"] } else { &["--map-root-user", "--mount"] };
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" && exec \"$2\" write \"$1/a.jpg\" --tag x";
    let output = Command::new("unshare")
        .args(spaces)
        .args(["sh", "-c", script, "sh"])
        .arg(folder.path(""))
        .arg(env!("CARGO_BIN_EXE_metatag-genie"))
        .env("DESKMATE_HOME", state.path(""))
        .output()
        .expect("unshare, of util-linux");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("mounted read-only; copy the file to another folder"), "{errors}");
    assert_eq!(fs::read(path).expect("the picture"), pictures::jpeg());
}
