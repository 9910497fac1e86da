//! Files and addresses that are traps.

use std::os::unix::fs::symlink;
use std::process::Command;

use models_stub::{Behaviour, Stub};
use serde_json::json;

use crate::media::{bomb, png};
use crate::vision::Vision;

/// A source is refused with these words, nothing is sent, and the server goes on.
#[track_caller]
fn refused(vision: &mut Vision, source: &str, expected: &str) {
    let before = vision.stub.seen().len();
    for (tool, argument) in [("analyze_image", "image_source"), ("analyze_video", "video_source")] {
        let message = vision.refused(tool, json!({ argument: source, "prompt": "?" }));
        assert!(message.contains(expected), "{source}: {message}");
    }
    assert_eq!(vision.stub.seen().len(), before);
    assert!(vision.client.result("tools/list", json!({}))["tools"].is_array(), "it goes on");
}

#[test]
fn a_pipe_is_refused_at_once() {
    let mut vision = Vision::new();
    let pipe = vision.folder.path("a.png");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    refused(&mut vision, pipe.to_str().expect("UTF-8"), "not a regular file");
}

#[test]
fn an_endless_device_behind_a_link_is_refused() {
    let mut vision = Vision::new();
    let link = vision.folder.path("a.png");
    symlink("/dev/zero", &link).expect("a link");
    refused(&mut vision, link.to_str().expect("UTF-8"), "not in a folder this server may use");
    let mut everywhere = Vision::with(&[("DESKMATE_ROOTS", "/")]);
    let link = everywhere.folder.path("a.png");
    symlink("/dev/zero", &link).expect("a link");
    refused(&mut everywhere, link.to_str().expect("UTF-8"), "not a regular file");
}

#[test]
fn a_link_out_of_the_folder_is_refused() {
    let mut vision = Vision::new();
    let link = vision.folder.path("a.png");
    symlink("/etc/passwd", &link).expect("a link");
    refused(&mut vision, link.to_str().expect("UTF-8"), "not in a folder this server may use");
    for source in ["/etc/passwd", "/nothing/here.png", "file:///etc/passwd"] {
        refused(&mut vision, source, "not in a folder this server may use");
    }
    refused(&mut vision, "a.png", "not an absolute path");
}

#[test]
fn a_small_file_that_claims_to_be_huge_is_refused() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.png", &bomb());
    let message = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(message.contains("60000 × 60000"), "{message}");
    let message = vision
        .refused("analyze_image", json!({ "image_source": source, "prompt": "?", "provider": "local" }));
    assert!(message.contains("60000 × 60000"), "{message}");
}

#[test]
fn a_private_address_is_not_fetched() {
    let mut vision = Vision::new();
    let inside = Stub::start().expect("a stub");
    let port = inside.url().rsplit(':').next().expect("a port").to_owned();
    for host in ["127.0.0.1", "localhost", "2130706433", "[::1]", "0x7f.1"] {
        let source = format!("http://{host}:{port}/a.png");
        let message = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
        assert!(
            message.contains("may not be used") || message.contains("only public ones"),
            "{host}: {message}"
        );
        let source = format!("http://{host}/a.png");
        let message = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
        assert!(message.contains("only public ones"), "{host}: {message}");
    }
    assert!(inside.seen().is_empty());
}

#[test]
fn a_redirect_to_a_private_address_is_not_followed() {
    let (outside, inside) = (Stub::start().expect("a stub"), Stub::start().expect("another"));
    // The first stub is at a name that was allowed; the second is reached by an address that was not.
    let mut vision = Vision::with(&[("VISION_ALLOW_HOSTS", "localhost")]);
    let source = outside.url().replace("127.0.0.1", "localhost") + "/a.png";
    outside.next(Behaviour::Redirect { location: format!("{}/a.png", inside.url()) });
    let message = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(message.contains("127.0.0.1"), "{message}");
    assert_eq!((outside.seen().len(), inside.seen().len()), (1, 0));
}

#[test]
fn a_picture_of_an_allowed_host_is_fetched_and_sent_as_bytes() {
    let web = Stub::start().expect("a stub");
    let mut vision = Vision::with(&[("VISION_ALLOW_HOSTS", "localhost")]);
    let source = web.url().replace("127.0.0.1", "localhost") + "/a.png?token=secret";
    web.next(Behaviour::File { mime: "text/html".to_owned(), bytes: png() });
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(vision.sent_media() == [("image/png".to_owned(), png())]);
    assert!(!data.to_string().contains("secret"), "{data}");
    web.next(Behaviour::Endless);
    let message = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(message.contains("more than"), "{message}");
}
