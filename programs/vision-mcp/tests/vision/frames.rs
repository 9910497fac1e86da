//! Videos for models that take pictures only: real ones, made and taken apart by the real `ffmpeg`.

use std::process::Command;

use mcp_testkit::Folder;
use models_stub::{Behaviour, Stub};
use serde_json::{Value, json};

use crate::media::video_of;
use crate::vision::Vision;

/// A video of this source of `ffmpeg`'s, as an MP4.
fn filmed(source: &str) -> Vec<u8> {
    let folder = Folder::new();
    let path = folder.path("made.mp4");
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-f", "lavfi", "-i", source, "-c:v", "mpeg4", "-q:v", "4"])
        .arg(&path)
        .output()
        .expect("ffmpeg; on Debian: apt-get install ffmpeg");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::read(path).expect("a video")
}

/// A counter that changes with every tenth of a second, four seconds long.
fn counting() -> Vec<u8> {
    filmed("testsrc=size=1280x720:rate=10:duration=4")
}

/// How many pictures are in a request, whatever its format: JPEG, or PNG where that is small.
fn pictures(body: &Value) -> usize {
    const BEGINNINGS: [&str; 2] = ["/9j/", "iVBORw0KGgo"];
    match body {
        Value::String(text) => {
            let data = text.split_once(";base64,").map_or(text.as_str(), |(_, data)| data);
            usize::from(BEGINNINGS.iter().any(|beginning| data.starts_with(beginning)))
        }
        Value::Array(all) => all.iter().map(pictures).sum(),
        Value::Object(all) => all.values().map(pictures).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[test]
fn a_provider_without_videos_is_shown_frames_and_told_their_times() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.mp4", &counting());
    for provider in ["openai", "claude", "ollama", "compatible"] {
        let arguments = json!({ "video_source": source, "prompt": "What is counted?", "provider": provider });
        let (_, data) = vision.call("analyze_video", arguments);
        let body = vision.sent().body;
        assert_eq!(pictures(&body), 8, "{provider}");
        let told = body.to_string();
        assert!(
            told.contains("frames of a video of 4.0 s, in order, taken at 0.0 s, 0.5 s, 1.0 s, 1.5 s, 2.0 s"),
            "{provider}"
        );
        assert!(told.contains("What is counted?"));
        let images = data["images"].as_array().expect("images");
        assert_eq!(images.len(), 8);
        assert_eq!(images[3]["source"], json!(format!("{source} at 1.5 s")));
        assert_eq!(images[3]["sent"], json!({ "width": 1024, "height": 576 }));
    }
}

#[test]
fn a_frame_is_what_the_video_shows_at_its_time() {
    let mut vision = Vision::new();
    let colours =
        "color=red:size=64x64:rate=10:duration=2[a];color=blue:size=64x64:rate=10:duration=2[b];[a][b]concat";
    let source = vision.folder.file("a.mov", &filmed(colours));
    let arguments = json!({ "video_source": source, "prompt": "?", "provider": "openai" });
    let (_, data) = vision.call("analyze_video", arguments);
    let media = vision.sent_media();
    let colour = |bytes: &[u8]| {
        let (_, picture) = picture::decode(bytes, &picture::Limits::default()).expect("a JPEG");
        picture.bytes()[..3].to_vec()
    };
    // A picture that stands still is shown once.
    assert_eq!(media.len(), 2, "{data}");
    let (first, second) = (colour(&media[0].1), colour(&media[1].1));
    assert!(first[0] > 200 && first[2] < 60, "red: {first:?}");
    assert!(second[0] < 60 && second[2] > 200, "blue: {second:?}");
    assert_eq!(data["images"][1]["source"], json!(format!("{source} at 2.0 s")));
}

#[test]
fn a_video_from_the_web_is_shown_in_frames_too() {
    let web = Stub::start().expect("a stub");
    let mut vision = Vision::with(&[("VISION_ALLOW_HOSTS", "localhost")]);
    let source = web.url().replace("127.0.0.1", "localhost") + "/a.mp4?token=secret";
    web.next(Behaviour::File { mime: "video/mp4".to_owned(), bytes: counting() });
    let arguments = json!({ "video_source": source, "prompt": "?", "provider": "ollama", "max_edge": 200 });
    let (_, data) = vision.call("analyze_video", arguments);
    assert_eq!(pictures(&vision.sent().body), 8);
    assert_eq!(data["images"][0]["sent"]["width"], 200);
    assert!(!data.to_string().contains("secret"), "{data}");
}

#[test]
fn without_ffmpeg_it_is_said_what_to_do() {
    let mut vision = Vision::with(&[("PATH", "/nothing/here")]);
    let source = vision.folder.file("a.mp4", &video_of(1000));
    for provider in ["openai", "claude", "ollama", "compatible"] {
        let arguments = json!({ "video_source": source, "prompt": "?", "provider": provider });
        let refused = vision.refused("analyze_video", arguments);
        for expected in ["takes no videos", "`ffmpeg`", "install it", "`zai` or `gemini`"] {
            assert!(refused.contains(expected), "{refused}");
        }
    }
    assert!(vision.stub.seen().is_empty());
    vision.call("analyze_video", json!({ "video_source": source, "prompt": "?", "provider": "gemini" }));
}

#[test]
fn what_is_no_video_behind_its_header_is_refused() {
    let mut vision = Vision::new();
    // A playlist that would lead to another file, had anybody believed it.
    let secret = vision.folder.file("secret.txt", b"not for anybody");
    let mut playlist =
        b"\0\0\0\x18ftypisom\0\0\x02\0isommp41\n#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10,\n".to_vec();
    playlist.extend_from_slice(format!("file://{secret}\n#EXT-X-ENDLIST\n").as_bytes());
    for bytes in [video_of(3000), playlist] {
        let source = vision.folder.file("a.mp4", &bytes);
        let arguments = json!({ "video_source": source, "prompt": "?", "provider": "openai" });
        let refused = vision.refused("analyze_video", arguments);
        assert!(refused.contains("finds no pictures"), "{refused}");
    }
    assert!(vision.stub.seen().is_empty());
}

#[test]
fn what_is_for_pictures_is_refused_for_videos() {
    let mut vision = Vision::new();
    let source = vision.folder.file("a.mp4", &video_of(1000));
    let region = json!({ "x": 0, "y": 0, "width": 1, "height": 1 });
    for (name, value) in [("region", region), ("page", json!(2))] {
        let refused =
            vision.refused("analyze_video", json!({ "video_source": source, "prompt": "?", name: value }));
        assert!(refused.contains(&format!("`{name}` is for pictures")), "{refused}");
    }
}
