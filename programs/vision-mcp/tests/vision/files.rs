//! Local file handling: what is sent, and in which form.

use serde_json::json;

use crate::media::{flat, jpeg, noise, png, png_of, video_of};
use crate::vision::Vision;

const MB: usize = 1 << 20;

/// A picture of this name is sent as these bytes.
#[track_caller]
fn sent_as_it_is(name: &str, bytes: &[u8], mime: &str) {
    let mut vision = Vision::new();
    let source = vision.folder.file(name, bytes);
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    let media = vision.sent_media();
    assert_eq!(media.len(), 1);
    assert!(media[0] == (mime.to_owned(), bytes.to_vec()), "{}: {data}", media[0].0);
}

#[test]
fn png_is_sent_as_a_data_url() {
    sent_as_it_is("a.png", &png(), "image/png");
}

#[test]
fn jpg_is_sent_as_a_data_url() {
    sent_as_it_is("a.jpg", &jpeg(), "image/jpeg");
}

#[test]
fn jpeg_is_sent_as_a_data_url() {
    sent_as_it_is("a.jpeg", &jpeg(), "image/jpeg");
}

#[test]
fn an_image_of_exactly_5_mb_is_sent() {
    sent_as_it_is("a.png", &png_of(5 * MB), "image/png");
}

#[test]
fn an_image_over_5_mb_is_not_sent_as_it_is() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.png", &png_of(5 * MB + 1));
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(vision.sent_media()[0].1.len() <= 5 * MB);
    assert!(data["images"][0]["transformations"].to_string().contains("written as"), "{data}");

    let large = picture::encode_png(&noise(2000, 1500), picture::Effort::Fast).expect("a PNG").bytes;
    assert!(large.len() > 8 * MB);
    let source = vision.folder.file("b.png", &large);
    vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(vision.sent_media()[0].1.len() <= 5 * MB);

    // What is too large and cannot be made smaller is refused.
    let mut damaged = png_of(5 * MB + 1);
    let middle = damaged.len() - 1000;
    damaged.truncate(middle);
    damaged.resize(5 * MB + 1, 0);
    let source = vision.folder.file("c.png", &damaged);
    let before = vision.stub.seen().len();
    let refused = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(refused.contains("c.png"), "{refused}");
    assert_eq!(vision.stub.seen().len(), before);
}

/// A video of this name is sent under this type.
#[track_caller]
fn video_sent(name: &str, mime: &str) {
    let mut vision = Vision::new();
    let source = vision.folder.file(name, &video_of(2000));
    vision.call("analyze_video", json!({ "video_source": source, "prompt": "?" }));
    assert!(vision.sent_media() == [(mime.to_owned(), video_of(2000))]);
}

#[test]
fn mp4_is_sent_as_a_data_url() {
    video_sent("a.mp4", "video/mp4");
}

#[test]
fn mov_is_sent_as_a_data_url() {
    video_sent("a.mov", "video/quicktime");
}

#[test]
fn m4v_is_sent_as_a_data_url() {
    video_sent("a.m4v", "video/x-m4v");
}

#[test]
fn a_video_over_8_mb_is_refused() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.mp4", &video_of(8 * MB + 1));
    let refused = vision.refused("analyze_video", json!({ "video_source": source, "prompt": "?" }));
    assert!(refused.contains("8388609") && refused.contains("8388608"), "{refused}");
    assert!(vision.stub.seen().is_empty());
}

#[test]
fn a_video_of_exactly_8_mb_is_sent() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.mp4", &video_of(8 * MB));
    vision.call("analyze_video", json!({ "video_source": source, "prompt": "?" }));
    assert_eq!(vision.sent_media()[0].1.len(), 8 * MB);
}

#[test]
fn any_other_file_type_is_refused() {
    let mut vision = Vision::new();
    let files = [
        ("a.png", &b"just a text"[..]),
        ("b.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("c.jpg", b""),
    ];
    for (name, bytes) in files {
        let source = vision.folder.file(name, bytes);
        let refused = vision.refused("analyze_image", json!({ "image_source": source, "prompt": "?" }));
        assert!(refused.contains("PNG, JPEG"), "{refused}");
        let refused = vision.refused("analyze_video", json!({ "video_source": source, "prompt": "?" }));
        assert!(refused.contains(".mp4, .mov or .m4v"), "{refused}");
    }
    assert!(vision.stub.seen().is_empty());
}

#[test]
fn the_bytes_say_what_a_picture_is_and_other_formats_are_rewritten() {
    let mut vision = Vision::new();
    let source = vision.folder.file("really-a-jpeg.png", &jpeg());
    vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert_eq!(vision.sent_media()[0].0, "image/jpeg");
    // A bitmap of two pixels, by hand.
    let mut bmp =
        b"BM\x3e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\x18\0\0\0\0\0\x08\0\0\0"
            .to_vec();
    bmp.extend_from_slice(&[0; 16]);
    bmp.extend_from_slice(&[1, 2, 3, 4, 5, 6, 0, 0]);
    let source = vision.folder.file("a.bmp", &bmp);
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert_eq!(
        (vision.sent_media()[0].0.as_str(), &data["images"][0]["format"]),
        ("image/png", &json!("BMP"))
    );
}

#[test]
fn a_place_in_a_picture_does_not_leave_the_machine() {
    let mut vision = Vision::new();
    let mut photo = picture::encode_jpeg(&flat(64, 32), 90).expect("a JPEG").bytes;
    // Orientation 6, and words that must not be sent.
    let tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0at home in Main Street";
    let mut segment = vec![0xff, 0xe1, 0, u8::try_from(tiff.len() + 8).expect("short")];
    segment.extend_from_slice(b"Exif\0\0");
    segment.extend_from_slice(tiff);
    photo.splice(2..2, segment);
    let source = vision.folder.file("a.jpg", &photo);
    let (_, data) = vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    let sent = &vision.sent_media()[0].1;
    assert!(!sent.windows(11).any(|window| window == b"Main Street"));
    assert_eq!(data["images"][0]["sent"], json!({ "width": 32, "height": 64 }));
    assert!(data["images"][0]["transformations"].to_string().contains("turned upright"), "{data}");
}

#[test]
fn data_and_file_urls_are_read() {
    let mut vision = Vision::new();
    let source = format!("data:text/plain;base64,{}", base64_simd::STANDARD.encode_to_string(png()));
    vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(vision.sent_media() == [("image/png".to_owned(), png())]);
    let path = vision.folder.file("a b.png", &png());
    let source = format!("file://{}", path.replace(' ', "%20"));
    vision.call("analyze_image", json!({ "image_source": source, "prompt": "?" }));
    assert!(vision.sent_media() == [("image/png".to_owned(), png())]);
}
