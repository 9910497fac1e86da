//! `auto_redact_pii`: what is private is gone, and nothing else.

use std::path::Path;
use std::process::Command;

use picture::{Effort, encode_png};
use serde_json::{Value, json};

use crate::display::Display;
use crate::fotos::{Fotos, Shot, command, png};

const WHITE: [u8; 3] = [255; 3];

/// A screenshot of some lines, before and after.
#[track_caller]
fn redacted(lines: &[&str]) -> (Fotos, String, Shot) {
    let display = Display::bare();
    display.write(lines);
    let mut fotos = Fotos::on(&display);
    let id = fotos.shoot(json!({})).id().to_owned();
    let shot = fotos.picture("auto_redact_pii", json!({ "screenshot_id": id }));
    (fotos, id, shot)
}

fn kinds(shot: &Shot) -> Vec<&str> {
    let detections = shot.told["detections"].as_array().expect("detections");
    detections.iter().filter_map(|detection| detection["type"].as_str()).collect()
}

/// One line with a label, and what is found in it; what is private cannot be read afterwards, and the label can.
#[track_caller]
fn check(label: &str, secret: &str, kind: &str) {
    let (mut fotos, _, shot) = redacted(&[&format!("{label} {secret}"), "nothing to hide here"]);
    assert_eq!(kinds(&shot), [kind], "{secret}: {}", shot.told);
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
    let text = read["text"].as_str().expect("text");
    let secret: String = secret.chars().filter(char::is_ascii_alphanumeric).collect();
    let left: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    assert!(!left.contains(&secret[..5]) && !left.contains(&secret[secret.len() - 4..]), "{text}");
    assert!(text.contains("nothing to hide"), "{text}");
}

#[test]
fn pii_detected_and_blurred() {
    let lines = ["Contact anna.adler@example.com", "Phone: 415-555-0132", "See you on Monday"];
    let (mut fotos, original, shot) = redacted(&lines);
    assert_eq!(kinds(&shot), ["email", "phone"]);
    assert_eq!((&shot.told["derived_from"], &shot.told["origin"]), (&json!(original), &json!("redacted")));
    // The box lies on the address and not on the word before it, and nothing black is left in it.
    let [x, y, w, h] = ["x", "y", "w", "h"].map(|key| {
        u32::try_from(shot.told["detections"][0][key].as_u64().expect("a number")).expect("small")
    });
    assert!(x > 80 && (30..60).contains(&y), "{}", shot.told);
    let darkest =
        (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))).map(|(x, y)| shot.at(x, y)[1]).min();
    assert!(darkest.is_some_and(|darkest| darkest > 150), "{darkest:?}");
    assert_eq!(shot.at(700, 500), WHITE);
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
    let text = read["text"].as_str().expect("text");
    assert!(!text.contains('@') && !text.contains("0132") && text.contains("Monday"), "{text}");
}

#[test]
fn no_pii_found() {
    let (mut fotos, original, shot) = redacted(&["Version v4.17.102", "Created 2024-05-06 at 12:34:56"]);
    assert_eq!((kinds(&shot), shot.id()), (Vec::new(), original.as_str()));
    let contents = fotos.read(&format!("screenshots://{original}"));
    assert_eq!(png(contents[0]["blob"].as_str().expect("a blob")).bytes(), shot.picture.bytes());
}

#[test]
fn invalid_screenshot_id() {
    let refused =
        Fotos::with(&mut command()).failure("auto_redact_pii", json!({ "screenshot_id": "abc-123" }));
    assert!(refused.starts_with("screenshot not found: `abc-123`"), "{refused}");
}

#[test]
fn screenshot_id_is_required() {
    let refused = Fotos::with(&mut command()).failure("auto_redact_pii", json!({}));
    assert!(refused.contains("screenshot_id"), "{refused}");
}

#[test]
fn email_is_detected() {
    check("From", "clara_42@mail.example.org", "email");
}

#[test]
fn phone_number_is_detected() {
    check("Call", "+49 171 2345678", "phone");
}

#[test]
fn ssn_is_detected() {
    check("SSN:", "219-09-9998", "ssn");
}

#[test]
fn credit_card_is_detected() {
    check("Card number", "4111 1111 1111 1111", "credit_card");
}

#[test]
fn api_key_is_detected() {
    check("Token", "glpat-aB3dE5fG7hK9jK2mN4pQ", "api_key");
}

#[test]
fn ip_address_is_detected() {
    check("Server", "192.168.117.254", "ip_address");
}

#[test]
fn detections_list_pii_type_and_location() {
    let (_, _, shot) = redacted(&["Mail: ben.costa@example.com"]);
    let detection = &shot.told["detections"][0];
    assert_eq!(detection["type"], "email");
    for key in ["x", "y", "w", "h"] {
        assert!(detection[key].is_u64(), "{detection}");
    }
    // Where it is, and never what it says.
    assert!(!shot.told.to_string().contains("costa"), "{}", shot.told);
}

#[test]
fn redacted_image_is_base64_png() {
    let display = Display::bare();
    display.write(&["Mail: ben.costa@example.com"]);
    let mut fotos = Fotos::on(&display);
    let id = fotos.shoot(json!({})).id().to_owned();
    let result = fotos.client.call("auto_redact_pii", json!({ "screenshot_id": id }));
    let image = result["content"].as_array().expect("content").iter().find(|block| block["type"] == "image");
    assert_eq!(image.expect("an image")["mimeType"], "image/png");
    png(image.expect("an image")["data"].as_str().expect("data"));
}

/// What another reader finds in a picture: the program `tesseract`.
fn tesseract(shot: &Shot) -> String {
    let name = format!("redacted-{}.png", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let png = encode_png(&shot.picture, Effort::Fast).expect("a PNG").bytes;
    std::fs::write(&path, png).expect("a file");
    let read = Command::new("tesseract").arg(&path).args(["-", "-l", "eng", "--psm", "11"]).output();
    std::fs::remove_file(&path).expect("removed");
    let read = read.expect("`tesseract` runs; `./dev test packages` installs it");
    assert!(read.status.success(), "{read:?}");
    String::from_utf8_lossy(&read.stdout).trim().to_owned()
}

/// Two secrets as wide as each other: what is left of both is the same but for noise, and neither can be read.
#[test]
fn two_secrets_of_the_same_box_leave_pictures_that_differ_by_noise_alone() {
    let after = |secret: &str| {
        let (mut fotos, _, shot) = redacted(&[&format!("Server {secret}")]);
        let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
        assert_eq!(
            read["text"].as_str().expect("text").trim(),
            "Server",
            "what is not private stays, and nothing else"
        );
        assert_eq!(tesseract(&shot), "Server");
        let detection: Value = shot.told["detections"][0].clone();
        let [x, y, w, h] = ["x", "y", "w", "h"]
            .map(|key| u32::try_from(detection[key].as_u64().expect("a number")).expect("small"));
        (shot, (x, y, w, h))
    };
    let (one, place) = after("192.168.117.254");
    let (other, _) = after("254.117.168.192");
    let (x, y, w, h) = place;
    // The mean of every column: letters would leave dark and light ones in other places.
    let columns = |shot: &Shot| -> Vec<f64> {
        let column = |x: u32| (y..y + h).map(|y| f64::from(shot.at(x, y)[1])).sum::<f64>() / f64::from(h);
        (x + 8..x + w - 8).map(column).collect()
    };
    let (one, other) = (columns(&one), columns(&other));
    let mean = |columns: &[f64]| columns.iter().sum::<f64>() / f64::from(w - 16);
    assert!((mean(&one) - mean(&other)).abs() < 6.0, "{} {}", mean(&one), mean(&other));
    assert!(one.iter().chain(&other).all(|column| (215.0..=255.0).contains(column)), "{one:?} {other:?}");
}
