//! A key that `authy` keeps, used by `vision-mcp`.

use std::io::Write;
use std::process::{Command, Stdio};

use mcp::Version;
use mcp_testkit::{Client, Folder, program};
use models_stub::{Stub, clean};
use picture::{Effort, Layout, Picture, encode_png};
use serde_json::json;

/// Runs `authy` with this on its stdin.
fn authy(home: &Folder, arguments: &[&str], input: &str) {
    let keyfile = home.path("keyfile");
    let mut command = Command::new(program("authy"));
    clean(&mut command).env("HOME", home.as_path()).env("AUTHY_HOME", home.path("vault")).args(arguments);
    if keyfile.exists() {
        command.env("AUTHY_KEYFILE", &keyfile);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("authy");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("a value");
    assert!(child.wait().expect("its end").success(), "authy {arguments:?}");
}

#[test]
fn a_key_can_be_in_the_vault() {
    let (home, stub) = (Folder::new(), Stub::start().expect("a stub"));
    let keyfile = home.path("keyfile");
    authy(&home, &["init", "--generate-keyfile", keyfile.to_str().expect("UTF-8")], "");
    authy(&home, &["store", "z-ai-api-key"], "key-of-the-vault");
    let mut command = Command::new(program("vision-mcp"));
    clean(&mut command).env("HOME", home.as_path()).envs(stub.variables()).env("Z_AI_API_KEY", "");
    command.env("AUTHY_HOME", home.path("vault")).env("AUTHY_KEYFILE", keyfile);
    let mut vision = Client::process(&mut command).speaking(Version::MODERN);
    let picture = Picture::new(Layout::Rgb, 8, 8, [200, 30, 30].repeat(64)).expect("a picture");
    let source = home.file("a.png", &encode_png(&picture, Effort::Fast).expect("a PNG").bytes);
    let answer = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert_eq!(answer["structuredContent"]["provider"], "zai", "{answer}");
    assert_eq!(stub.seen().pop().expect("a request").key(), "key-of-the-vault");
}
