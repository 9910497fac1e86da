//! `annotate_screenshot`: what is drawn, pixel by pixel.

use serde_json::{Value, json};

use crate::display::{Display, LEFT};
use crate::fotos::{Fotos, Shot, command};
use crate::window::Look;

const RED: [u8; 3] = [255, 0, 0];
const WHITE: [u8; 3] = [255; 3];

/// A screenshot of a white window, drawn on.
#[track_caller]
fn drawn(annotations: Value) -> Shot {
    let display = Display::bare();
    let _paper = display.window("Paper", Look::at(0, 0).size(400, 300).plain(WHITE));
    let mut fotos = Fotos::on(&display);
    let id = fotos.shoot(json!({ "mode": "window", "window_title": "paper" })).id().to_owned();
    fotos.picture("annotate_screenshot", json!({ "screenshot_id": id, "annotations": annotations }))
}

/// What is said about annotations that cannot be drawn.
#[track_caller]
fn refused(annotations: Value) -> String {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let id = fotos.shoot(json!({})).id().to_owned();
    fotos.failure("annotate_screenshot", json!({ "screenshot_id": id, "annotations": annotations }))
}

#[test]
fn add_rectangle_annotation() {
    let shot = drawn(json!([{ "type": "rect", "x": 100, "y": 100, "width": 200, "height": 150 }]));
    assert_eq!(shot.size(), (400, 300));
    for (x, y) in [(100, 150), (299, 150), (200, 100), (200, 249)] {
        assert_eq!(shot.at(x, y), RED, "({x}, {y})");
    }
    for (x, y) in [(200, 175), (97, 150), (303, 150), (200, 97), (200, 253)] {
        assert_eq!(shot.at(x, y), WHITE, "({x}, {y})");
    }
}

#[test]
fn add_multiple_annotations() {
    let shot = drawn(json!([
        { "type": "arrow", "points": [{ "x": 50, "y": 50 }, { "x": 350, "y": 50 }], "color": "#0000FF", "stroke_width": 6 },
        { "type": "text", "x": 100, "y": 100, "text": "Look here", "color": "black", "font_size": 30 },
        { "type": "blur", "x": 90, "y": 90, "width": 220, "height": 60 },
        { "type": "rect", "x": 200, "y": 40, "width": 20, "height": 20, "color": "#00FF00" },
    ]));
    assert_eq!(shot.at(100, 50), [0, 0, 255]);
    // The text lies below the blur, which comes later and leaves nothing of it: nothing is darker than the edge.
    let darkest = (90..310).flat_map(|x| (90..150).map(move |y| (x, y))).map(|(x, y)| shot.at(x, y)[1]).min();
    assert!(darkest.is_some_and(|darkest| darkest > 80), "{darkest:?}");
    // The box lies on the arrow.
    assert_eq!(shot.at(200, 50), [0, 255, 0]);
}

#[test]
fn invalid_screenshot_id() {
    let annotations = json!([{ "type": "rect", "x": 1, "y": 1, "width": 2, "height": 2 }]);
    let arguments = json!({ "screenshot_id": "abc-123", "annotations": annotations });
    let refused = Fotos::with(&mut command()).failure("annotate_screenshot", arguments);
    assert!(refused.starts_with("screenshot not found: `abc-123`"), "{refused}");
}

#[track_caller]
fn check_required(field: &str, arguments: Value) {
    let mut fotos = Fotos::with(&mut command());
    let refused = fotos.failure("annotate_screenshot", arguments);
    assert!(refused.contains(field), "{refused}");
    let tools = fotos.client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    let tool = tools.iter().find(|tool| tool["name"] == "annotate_screenshot").expect("the tool");
    assert!(tool["inputSchema"]["required"].as_array().expect("a list").contains(&json!(field)));
}

#[test]
fn screenshot_id_is_required() {
    check_required("screenshot_id", json!({ "annotations": [] }));
}

#[test]
fn annotations_is_required() {
    check_required("annotations", json!({ "screenshot_id": "abc" }));
}

#[test]
fn annotation_type_is_required_and_one_of_those_there_are() {
    let missing = refused(json!([{ "x": 1, "y": 1, "width": 2, "height": 2 }]));
    assert!(missing.contains("annotations[0]") && missing.contains("type"), "{missing}");
    let unknown = refused(json!([{ "type": "star", "x": 1, "y": 1 }]));
    for part in ["annotations[0].type", "star", "arrow", "rect", "ellipse", "text", "blur"] {
        assert!(unknown.contains(part), "{part}: {unknown}");
    }
}

#[test]
fn color_defaults_to_ff0000() {
    let shot = drawn(json!([{ "type": "rect", "x": 100, "y": 100, "width": 50, "height": 50 }]));
    assert_eq!(shot.at(100, 120), [0xFF, 0, 0]);
}

#[test]
fn stroke_width_defaults_to_2() {
    let shot = drawn(json!([{ "type": "rect", "x": 100, "y": 100, "width": 50, "height": 50 }]));
    let line: Vec<bool> = (96..105).map(|x| shot.at(x, 125) == RED).collect();
    assert_eq!(line, [false, false, false, true, true, false, false, false, false]);
    let wide =
        drawn(json!([{ "type": "rect", "x": 100, "y": 100, "width": 50, "height": 50, "stroke_width": 8 }]));
    assert_eq!((96..104).filter(|x| wide.at(*x, 125) == RED).count(), 8);
}

#[test]
fn add_arrow_annotation() {
    let shot =
        drawn(json!([{ "type": "arrow", "x": 50, "y": 100, "width": 200, "height": 0, "stroke_width": 4 }]));
    assert_eq!((shot.at(60, 100), shot.at(240, 100), shot.at(260, 100)), (RED, RED, WHITE));
    // The head is wider than the line.
    assert_eq!((shot.at(236, 105), shot.at(150, 105)), (RED, WHITE));
}

#[test]
fn add_ellipse_annotation() {
    let shot = drawn(
        json!([{ "type": "ellipse", "x": 100, "y": 50, "width": 200, "height": 100, "stroke_width": 4 }]),
    );
    assert_eq!((shot.at(100, 100), shot.at(299, 100), shot.at(200, 50)), (RED, RED, RED));
    assert_eq!((shot.at(200, 100), shot.at(105, 55)), (WHITE, WHITE));
}

#[test]
fn add_text_annotation() {
    let shot = drawn(
        json!([{ "type": "text", "x": 50, "y": 50, "text": "HHH", "font_size": 40, "color": "#0000FF" }]),
    );
    let blue = (50..150)
        .flat_map(|x| (50..110).map(move |y| (x, y)))
        .filter(|(x, y)| shot.at(*x, *y) == [0, 0, 255])
        .count();
    assert!(blue > 300, "{blue}");
    assert!((0..400).all(|x| shot.at(x, 45) == WHITE && shot.at(x, 120) == WHITE));
}

#[test]
fn add_blur_annotation() {
    let display = Display::bare();
    let _stripes = display.window("Stripes", Look::at(0, 0).size(400, 300));
    let mut fotos = Fotos::on(&display);
    let id = fotos.shoot(json!({ "mode": "window", "window_title": "stripes" })).id().to_owned();
    let blur = json!([{ "type": "blur", "x": 150, "y": 100, "width": 100, "height": 100 }]);
    let shot = fotos.picture("annotate_screenshot", json!({ "screenshot_id": id, "annotations": blur }));
    let [first, .., last] = crate::window::CORNERS;
    // Outside all is as it was; inside the four colours met, and none of them is there.
    assert_eq!((shot.at(149, 99), shot.at(250, 200)), (first, last));
    for (x, y) in (150..250).flat_map(|x| (100..200).map(move |y| (x, y))) {
        assert!(!crate::window::CORNERS.contains(&shot.at(x, y)), "({x}, {y})");
    }
}

#[test]
fn control_points_shape_an_arrow() {
    let points = json!([{ "x": 50, "y": 250 }, { "x": 200, "y": 50 }, { "x": 350, "y": 250 }]);
    let shot = drawn(json!([{ "type": "arrow", "points": points, "stroke_width": 6 }]));
    // Bent towards the point in the middle: half way up, not along the straight line.
    let red: Vec<u32> = (0..300).filter(|y| shot.at(200, *y) == RED).collect();
    assert!(!red.is_empty() && red.iter().all(|y| (125..165).contains(y)), "{red:?}");
}

#[test]
fn mistakes_are_named_by_index_and_field() {
    let sound = json!({ "type": "rect", "x": 1, "y": 1, "width": 2, "height": 2 });
    let wrong = |annotation: Value| refused(json!([sound, annotation]));
    assert_eq!(
        wrong(json!({ "type": "rect", "x": 1, "y": 1, "width": 2 })),
        "`annotations[1].height` is missing: a rect needs it"
    );
    let colour = wrong(json!({ "type": "blur", "x": 1, "y": 1, "width": 2, "height": 2, "color": "#12" }));
    assert!(colour.starts_with("`annotations[1].color` is no colour: `#12`"), "{colour}");
    let range = wrong(json!({ "type": "text", "x": 1e9, "y": 1, "text": "a" }));
    assert!(range.starts_with("`annotations[1].x` is out of range"), "{range}");
}

#[test]
fn no_annotation_persistence_in_standalone_mode() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let original = fotos.shoot(json!({}));
    let rect = json!([{ "type": "rect", "x": 10, "y": 10, "width": 50, "height": 50 }]);
    let drawn =
        fotos.picture("annotate_screenshot", json!({ "screenshot_id": original.id(), "annotations": rect }));
    assert_eq!(drawn.at(10, 30), RED);
    assert_eq!(
        (&drawn.told["derived_from"], &drawn.told["origin"]),
        (&json!(original.id()), &json!("annotated"))
    );
    // The original is as it was, and another process knows nothing of either.
    let contents = fotos.read(&format!("screenshots://{}", original.id()));
    let kept = crate::fotos::png(contents[0]["blob"].as_str().expect("a blob"));
    assert_eq!(crate::fotos::at(&kept, 10, 30), LEFT);
    assert_eq!(Fotos::on(&display).data("list_screenshots", json!({}))["total"], 0);
}
