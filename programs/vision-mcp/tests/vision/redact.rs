//! What is private does not leave the machine, when that is asked for or is the rule.

use serde_json::{Value, json};

use crate::media::video_of;
use crate::vision::Vision;

/// A window with an e-mail address, three other numbers and a token on it.
const PRIVATE: &[u8] = include_bytes!("private.png");

/// How many private things were taken out, as the answer tells.
fn redacted(data: &Value) -> Option<u32> {
    let done = data["images"][0]["transformations"].as_array().expect("a list");
    let told = done
        .iter()
        .filter_map(Value::as_str)
        .find_map(|text| text.strip_suffix(" private things redacted"))?;
    told.parse().ok()
}

#[test]
fn a_picture_is_redacted_before_it_is_sent() {
    let mut vision = Vision::new();
    let source = vision.folder.file("private.png", PRIVATE);
    let (_, plain) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "What is it?" }));
    let before = vision.sent_media();
    assert_eq!(redacted(&plain), None);
    let asked = json!({ "image_source": source, "prompt": "What is it?", "redact": true });
    let (_, data) = vision.call("analyze_image", asked);
    assert!(redacted(&data) >= Some(5), "{data}");
    assert_ne!(vision.sent_media(), before);
}

#[test]
fn redacting_can_be_the_rule_and_a_video_is_then_refused() {
    let mut vision = Vision::with(&[("VISION_REDACT", "always")]);
    let source = vision.folder.file("private.png", PRIVATE);
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "What is it?" }));
    assert!(redacted(&data) >= Some(5), "{data}");
    let video = vision.folder.file("a.mp4", &video_of(1000));
    let refused =
        vision.refused("analyze_video", json!({ "video_source": video, "prompt": "What happens?" }));
    assert!(refused.contains("VISION_REDACT"), "{refused}");
}
