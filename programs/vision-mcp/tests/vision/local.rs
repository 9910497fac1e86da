//! Without a key and without a network.

use serde_json::json;

use crate::media::{flat, png, video_of};
use crate::vision::Vision;

const FIRST: &str = "No vision model looked at this";

fn without_key() -> Vision {
    Vision::with(&[("Z_AI_API_KEY", "")])
}

#[test]
fn without_a_key_pictures_are_read_on_this_machine_and_it_says_so() {
    let mut vision = without_key();
    let source = vision.folder.file("a.png", &png());
    for tool in ["analyze_image", "understand_technical_diagram", "analyze_data_visualization"] {
        let (text, data) = vision.call(tool, json!({ "image_source": source, "prompt": "?" }));
        assert!(text.starts_with(FIRST) && text.contains("8 × 8 pixels"), "{text}");
        assert_eq!((&data["provider"], &data["limited"]), (&json!("local"), &json!(true)));
        let colours = data["data"]["palette"].to_string();
        assert!(colours.contains("#c81e1e") && colours.contains("#1e1ec8"), "{colours}");
    }
    assert!(vision.stub.seen().is_empty());
}

#[test]
fn text_is_read_without_a_model() {
    let mut vision = without_key();
    let source = vision.folder.file("a.png", &png());
    let (text, _) =
        vision.call("extract_text_from_screenshot", json!({ "image_source": source, "prompt": "?" }));
    assert!(text.starts_with(FIRST) && text.contains("no text"), "{text}");
}

#[test]
fn two_pictures_are_compared_without_a_model() {
    let mut vision = without_key();
    let encode = |picture: &picture::Picture| {
        picture::encode_png(picture, picture::Effort::Fast).expect("a PNG").bytes
    };
    let before = flat(200, 100);
    let mut after = before.clone();
    for row in 40..50 {
        after.bytes_mut()[(row * 200 + 20) * 3..(row * 200 + 50) * 3].fill(255);
    }
    let (expected, actual) =
        (vision.folder.file("a.png", &encode(&before)), vision.folder.file("b.png", &encode(&after)));
    let arguments =
        json!({ "expected_image_source": expected, "actual_image_source": actual, "prompt": "?" });
    let (text, data) = vision.call("ui_diff_check", arguments);
    assert!(text.starts_with(FIRST) && text.contains("30 × 10 pixels at 20, 40"), "{text}");
    assert_eq!(data["data"]["difference"]["region_count"], 1);
    let same = json!({ "expected_image_source": expected, "actual_image_source": expected, "prompt": "?" });
    let (text, _) = vision.call("ui_diff_check", same);
    assert!(text.contains("No pixel differs"), "{text}");
}

#[test]
fn what_only_a_model_can_do_is_refused_with_the_way_to_set_one_up() {
    let mut vision = without_key();
    let picture = vision.folder.file("a.png", &png());
    let video = vision.folder.file("a.mp4", &video_of(100));
    let code = json!({ "image_source": picture, "output_type": "code", "prompt": "?" });
    for (tool, arguments) in
        [("ui_to_artifact", code), ("analyze_video", json!({ "video_source": video, "prompt": "?" }))]
    {
        let refused = vision.refused(tool, arguments);
        assert!(refused.contains("Z_AI_API_KEY") && refused.contains("ollama"), "{refused}");
    }
}

#[test]
fn another_provider_can_be_the_usual_one() {
    let mut vision = Vision::with(&[("VISION_PROVIDER", "ollama"), ("Z_AI_API_KEY", "")]);
    let source = vision.folder.file("a.png", &png());
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert_eq!(data["provider"], "ollama");
    let (text, _) =
        vision.call("analyze_image", json!({ "image_source": source, "prompt": "?", "provider": "local" }));
    assert!(text.starts_with(FIRST), "{text}");
}

#[test]
fn a_key_of_another_provider_is_never_z_ais() {
    let mut vision = Vision::with(&[("Z_AI_API_KEY", ""), ("ANTHROPIC_AUTH_TOKEN", "claude-token")]);
    let source = vision.folder.file("a.png", &png());
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert_eq!(data["provider"], "local");
    let refused =
        vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?", "provider": "zai" }));
    assert!(refused.contains("Z_AI_API_KEY"), "{refused}");
}
