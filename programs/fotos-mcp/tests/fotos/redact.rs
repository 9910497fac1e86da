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
    assert!(darkest.is_some_and(|darkest| darkest > 80), "{darkest:?}");
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

/// Secrets that are about as wide as each other, with letters that fill their room differently: what is drawn over them is the same,
/// pixel for pixel, and none can be read.
#[test]
fn what_is_drawn_over_a_secret_is_the_same_whatever_the_secret_is() {
    let after = |secret: &str| {
        let (mut fotos, _, shot) = redacted(&[&format!("Server {secret}")]);
        let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
        // What is not private stays, and nothing else; beside the box, a reader may be wrong about capitals.
        let text = read["text"].as_str().expect("text").trim().to_lowercase();
        assert_eq!(text, "server");
        // Another reader may miss the word beside the box, and finds nothing in it.
        let other = tesseract(&shot).to_lowercase();
        assert!(other.is_empty() || other == "server", "{other}");
        shot
    };
    let one = after("192.168.117.254");
    for other in ["117.168.192.254", "219.186.117.251", "100.208.200.208"] {
        let other = after(other);
        assert_eq!(one.told["detections"], other.told["detections"]);
        assert_eq!(one.picture.bytes(), other.picture.bytes());
    }
}

/// The boxes of what was found: x, y, width, height.
fn boxes(shot: &Shot) -> Vec<[u32; 4]> {
    let detections = shot.told["detections"].as_array().expect("detections");
    let number = |value: &Value| u32::try_from(value.as_u64().expect("a number")).expect("small");
    detections.iter().map(|detection| ["x", "y", "w", "h"].map(|key| number(&detection[key]))).collect()
}

#[test]
fn every_shape_of_a_social_security_number_is_covered() {
    let numbers = ["123-45-6789", "219-09-9999", "078-05-1120", "987-65-4321"];
    let lines: Vec<String> = numbers.iter().map(|number| format!("Employee {number}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (mut fotos, _, shot) = redacted(&lines);
    assert_eq!(kinds(&shot), ["ssn"; 4]);
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
    assert!(!read["text"].as_str().expect("text").contains(char::is_numeric), "{read}");
}

#[test]
fn a_private_key_is_covered_to_its_end() {
    let lines = [
        "$ cat id_rsa",
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA7bq1J2h8x9Yc0dT4kL3mN5pQ7rS9",
        "tU1vW3xY5zAbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
        "Zm9vYmFyYmF6cXV4Cg==",
        "-----END RSA PRIVATE KEY-----",
        "all done here",
    ];
    let (mut fotos, _, shot) = redacted(&lines);
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
    let text = read["text"].as_str().expect("text");
    assert!(text.contains("cat id") && text.contains("all done here"), "{text}");
    for secret in ["MII", "tU1v", "Zm9v", "PRIVATE"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn addresses_tokens_and_numbers_that_were_missed_are_covered() {
    let lines = [
        "inet6 2001:db8:85a3::8a2e:370:7334 up",
        "inet6 fe80::a00:27ff:fe4e:66a1 up",
        "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0",
        "Phone 4155550132 today",
    ];
    let (mut fotos, _, shot) = redacted(&lines);
    assert_eq!(kinds(&shot), ["ip_address", "ip_address", "api_key", "phone"], "{}", shot.told);
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
    let text = read["text"].as_str().expect("text");
    for secret in ["db8", "fe4e", "eyJ", "5550"] {
        assert!(!text.contains(secret), "{text}");
    }
}

/// The lines are 30 pixels apart.
#[test]
fn a_box_keeps_to_its_line() {
    let line = "Mail anna.adler@example.com and g(jy)";
    let (mut fotos, _, shot) = redacted(&[line, line, line]);
    let places = boxes(&shot);
    assert!(
        places[1][3] <= 31 && places.windows(2).all(|pair| pair[0][1] + pair[0][3] <= pair[1][1]),
        "{}",
        shot.told
    );
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
    assert_eq!(read["text"].as_str().expect("text").matches("and g(jy)").count(), 3, "{read}");
}

#[test]
fn a_review_lists_and_draws_nothing_and_a_list_of_ids_drops_some() {
    let display = Display::bare();
    display.write(&["Mail ben.costa@example.com", "Server 192.168.117.254"]);
    let mut fotos = Fotos::on(&display);
    let original = fotos.shoot(json!({}));
    let review = fotos.picture("auto_redact_pii", json!({ "screenshot_id": original.id(), "review": true }));
    assert_eq!((review.id(), kinds(&review)), (original.id(), vec!["email", "ip_address"]));
    assert_eq!(review.picture.bytes(), original.picture.bytes());
    let server = review.told["detections"][1]["id"].clone();
    let some =
        fotos.picture("auto_redact_pii", json!({ "screenshot_id": original.id(), "except": [server] }));
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": some.id() }));
    let text = read["text"].as_str().expect("text");
    assert!(text.contains("192.168.117.254") && !text.contains("costa"), "{text}");
    let refused =
        fotos.failure("auto_redact_pii", json!({ "screenshot_id": original.id(), "except": ["99"] }));
    assert!(refused.contains("`99`"), "{refused}");
}
