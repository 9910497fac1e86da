//! What z.ai is sent, and what is told of its answers.

use models_stub::{Behaviour, KEY};
use serde_json::{Value, json};

use crate::media::{png, video_of};
use crate::vision::Vision;

fn asked() -> Vision {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    vision.call("analyze_image", json!({ "image_source": picture, "prompt": "What is it?" }));
    vision
}

#[test]
fn requests_go_to_the_z_ai_chat_completions_endpoint() {
    let seen = asked().sent();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/api/paas/v4/chat/completions"));
}

#[test]
fn bearer_authorization_with_the_configured_key() {
    assert_eq!(asked().sent().header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[test]
fn the_key_appears_in_no_result_error_or_log() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    let arguments = json!({ "image_source": picture, "prompt": "What is it?" });
    let mut told = vec![vision.client.call("analyze_image", arguments.clone()).to_string()];
    for (status, code) in [(400, "1210"), (401, "1000"), (403, "1220"), (429, "1113"), (500, "500")] {
        vision.stub.next(Behaviour::fail(status, code, "wrong key {key} in Bearer {key}"));
        told.push(vision.client.call("analyze_image", arguments.clone()).to_string());
    }
    for text in told {
        assert!(!text.contains(KEY) && !text.contains("0123456789abcdef"), "{text}");
    }
    let end = vision.client.hang_up();
    assert!(!format!("{end:?}").contains(KEY));
}

#[test]
fn model_is_glm_4_6v() {
    assert_eq!(asked().sent().body["model"], "glm-4.6v");
    let mut other = Vision::with(&[("Z_AI_VISION_MODEL", "glm-5v-turbo")]);
    let picture = other.folder.file("a.png", &png());
    other.call("analyze_image", json!({ "image_source": picture, "prompt": "?" }));
    assert_eq!(other.sent().body["model"], "glm-5v-turbo");
    other.call("analyze_image", json!({ "image_source": picture, "prompt": "?", "model": "glm-4.5v" }));
    assert_eq!(other.sent().body["model"], "glm-4.5v");
}

#[test]
fn a_system_prompt_comes_first() {
    let messages = asked().sent().body["messages"].clone();
    assert_eq!(messages[0]["role"], "system");
    assert!(messages[0]["content"].as_str().is_some_and(|text| text.len() > 100));
    assert_eq!(messages.as_array().map(Vec::len), Some(2));
}

#[test]
fn the_user_message_carries_the_pictures_or_videos_and_the_text_prompt() {
    let mut vision = asked();
    let user = vision.sent().body["messages"][1].clone();
    assert_eq!((&user["role"], &user["content"][0]["type"]), (&json!("user"), &json!("image_url")));
    assert_eq!(user["content"][1], json!({ "type": "text", "text": "What is it?" }));
    let video = vision.folder.file("a.mp4", &video_of(500));
    vision.call("analyze_video", json!({ "video_source": video, "prompt": "What happens?" }));
    let user = vision.sent().body["messages"][1].clone();
    assert_eq!(user["content"][0]["type"], "video_url");
    assert_eq!(user["content"][1], json!({ "type": "text", "text": "What happens?" }));
}

#[test]
fn stream_is_false() {
    assert_eq!(asked().sent().body["stream"], Value::Bool(false));
}

#[test]
fn a_call_returns_a_single_tool_result() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    let result = vision.client.call("analyze_image", json!({ "image_source": picture, "prompt": "?" }));
    assert_eq!(result["content"], json!([{ "type": "text", "text": "The stub looked at it." }]));
}

#[test]
fn a_client_that_wants_progress_hears_the_answer_come() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    vision.stub.next(Behaviour::answer(&"word ".repeat(50)));
    let params = json!({ "name": "analyze_image", "arguments": { "image_source": picture, "prompt": "?" },
                         "_meta": { "progressToken": "p" } });
    let id = vision.client.start("tools/call", params);
    let told = vision.client.notification("notifications/progress");
    assert_eq!(told["params"]["progressToken"], "p");
    let answer = vision.client.response(&id);
    assert_eq!(answer["result"]["content"][0]["text"], "word ".repeat(50));
    assert_eq!(vision.sent().body["stream"], Value::Bool(true));
}

#[test]
fn a_call_that_is_cancelled_is_ended_at_the_provider() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    vision.stub.next(Behaviour::Silence);
    let params = json!({ "name": "analyze_image", "arguments": { "image_source": picture, "prompt": "?" } });
    let id = vision.client.start("tools/call", params);
    vision.stub.wait_for_requests(1);
    vision.client.notify("notifications/cancelled", json!({ "requestId": id }));
    vision.stub.wait_for_hang_ups(1);
    let (text, _) = vision.call("analyze_image", json!({ "image_source": picture, "prompt": "?" }));
    assert_eq!(text, "The stub looked at it.");
}

#[test]
fn what_a_provider_refuses_is_said_with_a_remedy() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    let arguments = json!({ "image_source": picture, "prompt": "?" });
    let answers = [
        (Behaviour::fail(401, "1000", "bad token"), "Z_AI_API_KEY"),
        (Behaviour::fail(429, "1113", "no balance"), "api/coding/paas/v4"),
        (Behaviour::fail(429, "1302", "slowly"), "wait"),
        (Behaviour::fail(400, "1210", "picture broken"), "“picture broken”"),
        (Behaviour::fail(500, "500", "fire"), "try again later"),
        (Behaviour::Malformed, "cannot be understood"),
        (Behaviour::Drop, "broke off"),
        (Behaviour::OnlyThoughts, "tokens ran out"),
    ];
    for (behaviour, expected) in answers {
        vision.stub.next(behaviour);
        let refused = vision.refused("analyze_image", arguments.clone());
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    assert_eq!(vision.stub.seen().len(), 8, "nothing is tried again that does not help");
}
