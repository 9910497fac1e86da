//! Built-in server.

use models_stub::KEY;
use serde_json::json;

use crate::media::png;
use crate::vision::Vision;

#[test]
fn no_other_runtime_is_needed() {
    let mut vision = Vision::with(&[("PATH", "")]);
    let picture = vision.folder.file("a.png", &png());
    let (text, _) = vision.call("analyze_image", json!({ "image_source": picture, "prompt": "What is it?" }));
    assert_eq!(text, "The stub looked at it.");
}

#[test]
fn the_z_ai_key_is_kept_in_one_place() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    let listed = vision.client.result("tools/list", json!({})).to_string();
    assert!(!listed.contains("api_key") && !listed.contains("apiKey"), "no tool takes a key");
    vision.call("analyze_image", json!({ "image_source": picture, "prompt": "What is it?" }));
    assert_eq!(vision.sent().key(), KEY);
}
