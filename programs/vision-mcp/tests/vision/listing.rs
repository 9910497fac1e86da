//! The tools as clients see them.

use serde_json::{Value, json};

use crate::vision::Vision;

const TOOLS: [&str; 8] = [
    "ui_to_artifact",
    "extract_text_from_screenshot",
    "diagnose_error_screenshot",
    "understand_technical_diagram",
    "analyze_data_visualization",
    "ui_diff_check",
    "analyze_image",
    "analyze_video",
];

fn tools() -> Vec<Value> {
    // Listing needs no key.
    let mut vision = Vision::with(&[("Z_AI_API_KEY", "")]);
    let listed = vision.client.result("tools/list", json!({}));
    listed["tools"].as_array().expect("tools").clone()
}

/// A tool is listed with these arguments required, and these besides.
#[track_caller]
fn listed(name: &str, required: &[&str], optional: &[&str]) -> Value {
    let tool = tools().into_iter().find(|tool| tool["name"] == name).expect("the tool");
    let schema = &tool["inputSchema"];
    let mut wanted: Vec<&str> =
        schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    wanted.sort_unstable();
    let mut expected = required.to_vec();
    expected.sort_unstable();
    assert_eq!(wanted, expected);
    for argument in required.iter().chain(optional) {
        assert_eq!(schema["properties"][argument]["type"], "string", "{argument}");
    }
    for extra in ["provider", "model", "region", "max_edge", "page", "output_schema", "redact"] {
        assert!(schema["properties"][extra].is_object(), "{extra}");
    }
    let count = schema["properties"].as_object().expect("properties").len();
    assert_eq!(count, required.len() + optional.len() + 7);
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(
        (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["openWorldHint"]),
        (&json!(true), &json!(true))
    );
    schema.clone()
}

#[test]
fn exactly_the_eight_tools_in_a_stable_order() {
    for _ in 0..2 {
        let names: Vec<String> =
            tools().iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect();
        assert_eq!(names, TOOLS);
    }
}

#[test]
fn ui_to_artifact_is_listed() {
    let schema = listed("ui_to_artifact", &["image_source", "output_type", "prompt"], &[]);
    let kinds = schema["properties"]["output_type"].to_string();
    for kind in ["code", "prompt", "spec", "description"] {
        assert!(kinds.contains(&format!("\"{kind}\"")), "{kinds}");
    }
}

#[test]
fn extract_text_from_screenshot_is_listed() {
    listed("extract_text_from_screenshot", &["image_source", "prompt"], &["programming_language"]);
}

#[test]
fn diagnose_error_screenshot_is_listed() {
    listed("diagnose_error_screenshot", &["image_source", "prompt"], &["context"]);
}

#[test]
fn understand_technical_diagram_is_listed() {
    listed("understand_technical_diagram", &["image_source", "prompt"], &["diagram_type"]);
}

#[test]
fn analyze_data_visualization_is_listed() {
    listed("analyze_data_visualization", &["image_source", "prompt"], &["analysis_focus"]);
}

#[test]
fn ui_diff_check_is_listed() {
    listed("ui_diff_check", &["expected_image_source", "actual_image_source", "prompt"], &[]);
}

#[test]
fn analyze_image_is_listed() {
    listed("analyze_image", &["image_source", "prompt"], &[]);
}

#[test]
fn analyze_video_is_listed() {
    listed("analyze_video", &["video_source", "prompt"], &[]);
}
