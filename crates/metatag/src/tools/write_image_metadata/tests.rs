use std::fs;
use std::path::PathBuf;

use files::Roots;
use mcp_testkit::Client;
use serde_json::{Value, json};

use super::message;
use crate::write::{Done, Effect, Writer};
use crate::{Config, State, with_state};

/// The smallest picture there is a place for metadata in.
const PICTURE: &[u8] = b"\xff\xd8\xff\xdb\0\x03x\xff\xda\0\x02picture\xff\xd9";

/// The error of a call with a writer that makes a mistake, after checking that the picture is as it was.
#[track_caller]
fn failure(name: &str, writer: Writer) -> (String, Value) {
    let folder = std::env::temp_dir().join(format!("deskmate-metatag-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("a.jpg");
    fs::write(&path, PICTURE).expect("a picture");
    let config = Config { local: Roots::new([folder.clone()]), remote: Roots::none(), home: None };
    let mut client = Client::memory(with_state(State { config, writer }));
    let arguments = json!({ "filePath": path, "metadata": { "tags": ["家庭"] } });
    let error = client.error("writeImageMetadata", arguments.clone());
    let call = json!({ "name": "writeImageMetadata", "arguments": arguments });
    assert_eq!(client.error("tools/call", call), error);
    assert_eq!(fs::read(&path).expect("the picture"), PICTURE);
    fs::remove_dir_all(folder).expect("removed");
    (path.display().to_string(), error)
}

#[test]
fn metadata_read_failed() {
    let forgetful = Writer::rewriting(|picture, stores| {
        let mut new = picture.rewrite(stores)?;
        new.bytes.pop();
        Ok(new)
    });
    let (path, error) = failure("read-failed", forgetful);
    assert_eq!(error["code"], -32006);
    let message = error["message"].as_str().expect("a message");
    assert!(message.starts_with(&format!("元数据读取失败 (验证步骤): {path}。原因: ")), "{message}");
    assert_eq!(error["data"], json!({ "filePath": path }));
}

#[test]
fn internal_error() {
    let (_, error) = failure("internal", Writer::rewriting(|_, _| panic!("a mistake of ours")));
    assert_eq!(error["code"], -32603, "{error}");
}

#[test]
fn clients_over_http_have_roots_of_their_own() {
    let config = Config { local: Roots::new([PathBuf::from("/")]), remote: Roots::none(), home: None };
    let state = State { config, writer: Writer::default() };
    let path = std::env::current_exe().expect("this test");
    let refused = state.writer.write(&state.config.remote, &path, &wish()).expect_err("no roots");
    assert_eq!(refused.code(), Some(-32002));
    let unsupported = state.writer.write(&state.config.local, &path, &wish()).expect_err("no picture");
    assert_eq!(unsupported.code(), Some(-32004));
}

fn wish() -> crate::model::Wish {
    crate::model::Wish {
        tags: None,
        description: None,
        people: None,
        location: None,
        details: crate::model::Details::new(),
        mode: crate::model::Mode::Overwrite,
        modified: crate::model::Modified::Now,
    }
}

#[test]
fn a_disk_that_did_not_confirm_the_change_is_told() {
    let done = Done { effect: Effect::Written, unsynced: Some("disk error".into()), ..Done::default() };
    assert_eq!(message(&done), "元数据已成功写入. 磁盘未确认此更改，断电后可能恢复为旧文件: disk error.");
}
