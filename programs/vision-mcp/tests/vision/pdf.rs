//! Pages of PDF files. How they are drawn is a feature of the build, and so are these tests; `./dev test rust` has it.

use serde_json::json;

#[cfg(feature = "pdf")]
use crate::paper::bomb;
use crate::paper::pdf;
use crate::vision::Vision;

/// Every tool that looks at pictures, with its further arguments.
#[cfg(feature = "pdf")]
const TOOLS: [&str; 6] = [
    "ui_to_artifact",
    "extract_text_from_screenshot",
    "diagnose_error_screenshot",
    "understand_technical_diagram",
    "analyze_data_visualization",
    "analyze_image",
];

#[cfg(not(feature = "pdf"))]
#[test]
fn a_build_that_cannot_draw_pages_says_what_to_do() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.pdf", &pdf(&["One"]));
    for provider in ["zai", "local"] {
        let arguments = json!({ "image_source": source, "prompt": "?", "provider": provider, "page": 1 });
        let refused = vision.refused("analyze_image", arguments);
        assert!(
            refused.contains("a.pdf` is not usable: it is a PDF") && refused.contains("--features pdf"),
            "{refused}"
        );
    }
    assert!(vision.stub.seen().is_empty());
}

#[test]
fn a_page_of_a_picture_is_its_first() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.png", &crate::media::png());
    vision.call("analyze_image", json!({ "image_source": source, "prompt": "?", "page": 1 }));
    let refused =
        vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?", "page": 2 }));
    assert!(refused.contains("`page` is for PDF files"), "{refused}");
    let refused =
        vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?", "page": 0 }));
    assert!(refused.contains("page"), "{refused}");
}

#[cfg(feature = "pdf")]
#[test]
fn every_tool_is_shown_the_page_as_a_picture() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.pdf", &pdf(&["One", "Two", "Three"]));
    for tool in TOOLS {
        let mut arguments = json!({ "image_source": source, "prompt": "?", "page": 3 });
        if tool == "ui_to_artifact" {
            arguments["output_type"] = json!("spec");
        }
        let (_, data) = vision.call(tool, arguments);
        let media = vision.sent_media();
        assert_eq!((media.len(), media[0].0.as_str()), (1, "image/png"), "{tool}");
        let image = &data["images"][0];
        assert_eq!((&image["format"], &image["sent_format"]), (&json!("PDF"), &json!("PNG")));
        assert_eq!(image["transformations"][0], "page 3 of 3 drawn");
        // A page that is twice as wide as high.
        assert_eq!(image["sent"], json!({ "width": 2048, "height": 1024 }));
    }
    let arguments =
        json!({ "expected_image_source": source, "actual_image_source": source, "prompt": "?", "page": 2 });
    vision.call("ui_diff_check", arguments);
    assert_eq!(vision.sent_media().len(), 2);
    let refused = vision.refused("analyze_video", json!({ "video_source": source, "prompt": "?" }));
    assert!(refused.contains(".mp4"), "{refused}");
}

#[cfg(feature = "pdf")]
#[test]
fn the_text_of_each_page_can_be_read() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.pdf", &pdf(&["Hello world", "Goodbye moon"]));
    let read = |vision: &mut Vision, page: Option<u32>| {
        let mut arguments = json!({ "image_source": source, "prompt": "Read", "provider": "local" });
        if let Some(page) = page {
            arguments["page"] = json!(page);
        }
        vision.call("extract_text_from_screenshot", arguments).0
    };
    assert!(read(&mut vision, None).contains("Hello world"), "the first page, if none is named");
    assert!(read(&mut vision, Some(2)).contains("Goodbye moon"));
}

#[cfg(feature = "pdf")]
#[test]
fn a_page_that_is_not_there_is_refused_with_their_number() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.pdf", &pdf(&["One", "Two"]));
    let refused =
        vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?", "page": 3 }));
    assert!(refused.contains("has 2 pages, and `page` is 3; choose one from 1 to 2"), "{refused}");
    assert!(vision.stub.seen().is_empty());
}

#[cfg(feature = "pdf")]
#[test]
fn a_pdf_that_cannot_be_drawn_is_refused_and_the_server_goes_on() {
    let mut vision = Vision::new();
    let whole = pdf(&["One"]);
    let text = String::from_utf8(whole.clone()).expect("ASCII");
    let lock = format!(
        "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >> /ID [<00> <00>]",
        "11".repeat(32)
    );
    let locked = text.replace("/Root", &format!("{lock} /Root"));
    let cases = [
        ("locked with a password", locked.into_bytes()),
        ("damaged", b"%PDF-1.7\nand then nothing that means anything".to_vec()),
        ("damaged", whole[..60].to_vec()),
        ("more memory or time than a page gets", bomb()),
    ];
    for (expected, bytes) in cases {
        let source = vision.folder.file("a.pdf", &bytes);
        let refused = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
        assert!(refused.contains(expected) && refused.contains("a.pdf"), "{expected}: {refused}");
    }
    assert!(vision.stub.seen().is_empty());
    let source = vision.folder.file("a.pdf", &whole);
    vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
}

#[cfg(feature = "pdf")]
#[test]
fn damage_anywhere_ends_no_server() {
    let mut vision = Vision::new();
    let whole = pdf(&["One", "Two"]);
    for at in (0..whole.len()).step_by(whole.len() / 12) {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        let source = vision.folder.file("a.pdf", &changed);
        vision.client.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    }
    assert!(vision.client.result("tools/list", json!({}))["tools"].is_array());
}
