use std::fs;
use std::path::PathBuf;

use files::Roots;
use mcp_testkit::Client;
use serde_json::json;

use crate::write::Writer;
use crate::{Config, State, with_state};

/// The smallest picture there is a place for metadata in.
const PICTURE: &[u8] = b"\xff\xd8\xff\xdb\0\x03x\xff\xda\0\x02picture\xff\xd9";

#[test]
fn what_does_not_read_back_is_not_written() {
    let folder = std::env::temp_dir().join(format!("deskmate-metatag-test-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("a.jpg");
    fs::write(&path, PICTURE).expect("a picture");
    let config = Config { local: Roots::new([folder.clone()]), remote: Roots::none() };
    let mut client = Client::memory(with_state(State { config, writer: Writer::forgetful() }));
    let arguments = json!({ "filePath": path, "metadata": { "tags": ["家庭"] } });
    let error = client.error("writeImageMetadata", arguments);
    assert_eq!(error["code"], -32006);
    let message = error["message"].as_str().expect("a message");
    let expected = format!("元数据读取失败 (验证步骤): {}。原因: ", path.display());
    assert!(message.starts_with(&expected), "{message}");
    assert_eq!(error["data"], json!({ "filePath": path }));
    assert_eq!(fs::read(&path).expect("the picture"), PICTURE);
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn clients_over_http_have_roots_of_their_own() {
    let config = Config { local: Roots::new([PathBuf::from("/")]), remote: Roots::none() };
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
        mode: crate::model::Mode::Overwrite,
    }
}
