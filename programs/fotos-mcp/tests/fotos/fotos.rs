//! The `fotos-mcp` process, and the pictures it answers with.

use std::process::Command;

use mcp::Version;
use mcp_testkit::Client;
use picture::{Limits, Picture, decode};
use serde_json::{Value, json};

use crate::display::Display;

pub(crate) struct Fotos {
    pub(crate) client: Client,
}

/// An answer with a picture.
pub(crate) struct Shot {
    pub(crate) told: Value,
    pub(crate) picture: Picture,
}

pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fotos-mcp"));
    for name in [
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "XDG_SESSION_TYPE",
        "DBUS_SESSION_BUS_ADDRESS",
        "FOTOS_CAPTURE",
        "FOTOS_EXCLUDE",
        "FOTOS_REDACT",
        "FOTOS_MODE",
    ] {
        command.env_remove(name);
    }
    // Where no application is, whatever runs on this machine.
    command.env("XDG_RUNTIME_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-session"));
    command.env("FOTOS_NOTIFY", "off");
    command
}

impl Fotos {
    pub(crate) fn on(display: &Display) -> Fotos {
        Fotos::with(command().env("DISPLAY", &display.name))
    }

    pub(crate) fn with(command: &mut Command) -> Fotos {
        Fotos { client: Client::process(command).speaking(Version::MODERN) }
    }

    /// Calls a tool that answers with a picture.
    #[track_caller]
    pub(crate) fn picture(&mut self, tool: &str, arguments: Value) -> Shot {
        let result = self.client.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        let content = result["content"].as_array().expect("content");
        let told = content.iter().find_map(|block| block["text"].as_str()).expect("text");
        let told = serde_json::from_str(told).expect("JSON");
        let image = content.iter().find(|block| block["type"] == "image").expect("an image");
        assert_eq!(image["mimeType"], "image/png");
        assert!(result.get("structuredContent").is_none(), "clients then drop the picture");
        Shot { told, picture: png(image["data"].as_str().expect("data")) }
    }

    #[track_caller]
    pub(crate) fn shoot(&mut self, arguments: Value) -> Shot {
        self.picture("take_screenshot", arguments)
    }

    /// What a tool says when it fails.
    #[track_caller]
    pub(crate) fn failure(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.client.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().expect("text").to_owned()
    }

    /// The structured answer of a tool.
    #[track_caller]
    pub(crate) fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.client.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        let data = result["structuredContent"].take();
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
        assert_eq!(text, data);
        data
    }

    /// The structured answer of a tool that says it in words, too.
    #[track_caller]
    pub(crate) fn data_of(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.client.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].take()
    }

    /// The contents of a resource.
    #[track_caller]
    pub(crate) fn read(&mut self, uri: &str) -> Value {
        self.client.result("resources/read", json!({ "uri": uri }))["contents"].take()
    }
}

impl Shot {
    pub(crate) fn id(&self) -> &str {
        self.told["screenshot_id"].as_str().expect("an id")
    }

    pub(crate) fn size(&self) -> (u32, u32) {
        (self.picture.width(), self.picture.height())
    }

    pub(crate) fn at(&self, x: u32, y: u32) -> [u8; 3] {
        at(&self.picture, x, y)
    }
}

pub(crate) fn at(picture: &Picture, x: u32, y: u32) -> [u8; 3] {
    assert!(x < picture.width() && y < picture.height(), "({x}, {y}) is not in {picture:?}");
    let bytes = picture.layout().bytes();
    let start = (y as usize * picture.width() as usize + x as usize) * bytes;
    picture.bytes()[start..start + 3].try_into().expect("three bytes")
}

/// A picture from base64.
pub(crate) fn png(data: &str) -> Picture {
    let bytes = base64_simd::STANDARD.decode_to_vec(data).expect("base64");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "not a PNG");
    decode(&bytes, &Limits::default()).expect("a picture").1
}
