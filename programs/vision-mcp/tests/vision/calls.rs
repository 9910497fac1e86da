//! Each tool, on each provider.

use models_stub::Behaviour;
use serde_json::{Value, json};

use crate::media::{jpeg, png, video_of};
use crate::vision::{PROVIDERS, Vision};

/// Calls a tool on every provider, OpenAI by both of its interfaces, and gives back what z.ai was told in text.
#[track_caller]
fn called(tool: &str, arguments: Value, providers: &[&str]) -> String {
    let mut told = String::new();
    for api in ["chat", "responses"] {
        let mut vision = Vision::with(&[("OPENAI_API", api)]);
        vision.folder.file("a.png", &png());
        vision.folder.file("b.jpg", &jpeg());
        vision.folder.file("c.mp4", &video_of(1000));
        let home = vision.folder.as_path().display().to_string();
        for provider in providers.iter().filter(|provider| api == "chat" || **provider == "openai") {
            let mut arguments = arguments.clone();
            arguments["provider"] = json!(provider);
            for (_, value) in arguments.as_object_mut().expect("arguments") {
                if let Some(text) = value.as_str() {
                    *value = json!(text.replace("HOME", &home));
                }
            }
            vision.stub.next(Behaviour::answer(&format!("{provider} saw it")));
            let (text, data) = vision.call(tool, arguments);
            assert_eq!(text, format!("{provider} saw it"));
            assert_eq!((data["provider"].as_str(), &data["limited"]), (Some(*provider), &json!(false)));
            assert_eq!(
                (&data["usage"]["input"], &data["usage"]["output"]),
                (&json!(1200), &json!(42)),
                "{provider}"
            );
            assert_eq!(data["finish_reason"].as_str(), Some("stop"));
            let body = vision.sent().body;
            // What is sent begins with the file: the first bytes of a PNG, a JPEG or an MP4 in base64.
            assert!(
                ["iVBORw0KGgo", "/9j/", "AAAAGGZ0eXBpc29t"]
                    .iter()
                    .any(|start| body.to_string().contains(start))
            );
            if *provider == "zai" {
                let parts = body["messages"][1]["content"].as_array().expect("parts");
                let text = parts.last().expect("text")["text"].as_str();
                text.expect("text last").clone_into(&mut told);
            }
        }
    }
    told
}

#[test]
fn ui_to_artifact_is_called() {
    for kind in ["code", "prompt", "spec", "description"] {
        let arguments = json!({ "image_source": "HOME/a.png", "output_type": kind, "prompt": "Build it" });
        let providers: &[&str] = if kind == "code" { &PROVIDERS } else { &["zai"] };
        assert_eq!(called("ui_to_artifact", arguments, providers), "Build it");
    }
}

#[test]
fn extract_text_from_screenshot_is_called() {
    for name in ["programming_language", "language_hint", "programmingLanguage"] {
        let arguments = json!({ "image_source": "HOME/a.png", "prompt": "Read it", name: "rust" });
        let providers: &[&str] = if name == "language_hint" { &["zai"] } else { &PROVIDERS };
        let told = called("extract_text_from_screenshot", arguments, providers);
        assert_eq!(told, "Read it\n\nProgramming language: rust");
    }
}

#[test]
fn diagnose_error_screenshot_is_called() {
    let arguments = json!({ "imageSource": "HOME/b.jpg", "prompt": "Why?", "context": "on start" });
    assert_eq!(
        called("diagnose_error_screenshot", arguments, &PROVIDERS),
        "Why?\n\nContext of the error: on start"
    );
}

#[test]
fn understand_technical_diagram_is_called() {
    let arguments = json!({ "image_source": "HOME/a.png", "prompt": "Explain", "diagram_type": "sequence" });
    assert_eq!(
        called("understand_technical_diagram", arguments, &PROVIDERS),
        "Explain\n\nKind of diagram: sequence"
    );
}

#[test]
fn analyze_data_visualization_is_called() {
    let arguments = json!({ "image_source": "HOME/a.png", "prompt": "Read", "analysis_focus": "trends" });
    assert_eq!(
        called("analyze_data_visualization", arguments, &PROVIDERS),
        "Read\n\nFocus of the analysis: trends"
    );
}

#[test]
fn ui_diff_check_is_called() {
    let arguments = json!({
        "expected_image_source": "HOME/a.png", "actual_image_source": "HOME/b.jpg", "prompt": "Compare",
    });
    let told = called("ui_diff_check", arguments, &PROVIDERS);
    assert!(told.starts_with("The first image is the expected") && told.ends_with("\n\nCompare"), "{told}");
}

#[test]
fn analyze_image_is_called() {
    assert_eq!(
        called("analyze_image", json!({ "image_source": "HOME/a.png", "prompt": "What?" }), &PROVIDERS),
        "What?"
    );
}

#[test]
fn analyze_video_is_called() {
    let arguments = json!({ "video_source": "HOME/c.mp4", "prompt": "What happens?" });
    assert_eq!(called("analyze_video", arguments, &["zai", "gemini"]), "What happens?");
}

#[test]
fn the_pictures_of_a_comparison_are_sent_in_their_order() {
    let mut vision = Vision::new();
    let (expected, actual) = (vision.folder.file("a.png", &png()), vision.folder.file("b.jpg", &jpeg()));
    let arguments =
        json!({ "expectedImageSource": expected, "actualImageSource": actual, "prompt": "Compare" });
    vision.call("ui_diff_check", arguments);
    let media = vision.sent_media();
    assert_eq!(media, [("image/png".to_owned(), png()), ("image/jpeg".to_owned(), jpeg())]);
}

#[test]
fn arguments_that_make_no_sense_are_named() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    let wrong = [
        (json!({ "prompt": "?" }), "image_source"),
        (json!({ "image_source": picture }), "prompt"),
        (json!({ "image_source": "", "prompt": "?" }), "`image_source` is empty"),
        (json!({ "image_source": picture, "prompt": " " }), "`prompt` is empty"),
        (json!({ "image_source": picture, "prompt": "?", "colour": 1 }), "colour"),
        (json!({ "image_source": picture, "prompt": "?", "max_edge": 1 }), "max_edge"),
        (json!({ "image_source": picture, "prompt": "?", "provider": "moon" }), "moon"),
        (json!({ "image_source": 7, "prompt": "?" }), "image_source"),
    ];
    for (arguments, named) in wrong {
        let refused = vision.refused("analyze_image", arguments);
        assert!(refused.contains(named), "{named}: {refused}");
    }
    assert!(vision.stub.seen().is_empty());
    let unknown = vision.client.error("tools/call", json!({ "name": "nothing", "arguments": {} }));
    assert_eq!(unknown["code"], -32602);
}

#[test]
fn an_answer_can_be_asked_for_as_data() {
    let mut vision = Vision::new();
    let picture = vision.folder.file("a.png", &png());
    let schema =
        json!({ "type": "object", "required": ["red"], "properties": { "red": { "type": "boolean" } } });
    let arguments = json!({ "image_source": picture, "prompt": "Is it red?", "output_schema": schema });
    vision.stub.next(Behaviour::answer("```json\n{\"red\": true}\n```"));
    let (_, data) = vision.call("analyze_image", arguments.clone());
    assert_eq!(data["data"], json!({ "red": true }));
    assert!(vision.sent().body.to_string().contains("JSON Schema"));
    vision.stub.next(Behaviour::answer("{\"red\": \"very\"}"));
    let refused = vision.refused("analyze_image", arguments);
    assert!(refused.contains("`red`"), "{refused}");
}

#[test]
fn a_part_of_a_picture_in_another_size_can_be_asked_for() {
    let mut vision = Vision::new();
    let whole =
        picture::encode_png(&crate::media::flat(400, 200), picture::Effort::Fast).expect("a PNG").bytes;
    let source = vision.folder.file("a.png", &whole);
    let region = json!({ "x": 100, "y": 50, "width": 200, "height": 100 });
    let arguments = json!({ "image_source": source, "prompt": "?", "region": region, "max_edge": 100 });
    let (_, data) = vision.call("analyze_image", arguments);
    assert_eq!(data["images"][0]["sent"], json!({ "width": 100, "height": 50 }));
    assert_eq!(data["images"][0]["original"], json!({ "width": 400, "height": 200 }));
    let outside = json!({ "x": 300, "y": 0, "width": 200, "height": 100 });
    let refused =
        vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?", "region": outside }));
    assert!(refused.contains("400 × 200"), "{refused}");
}
