//! The `vision-mcp` process with a stub for a provider, and a folder for its files.

use std::process::Command;

use mcp::Version;
use mcp_testkit::{Client, Folder};
use models_stub::{Seen, Stub, clean};
use serde_json::{Value, json};

/// Every provider that can be named.
pub(crate) const PROVIDERS: [&str; 6] = ["zai", "openai", "claude", "gemini", "ollama", "compatible"];

pub(crate) struct Vision {
    pub(crate) client: Client,
    pub(crate) folder: Folder,
    pub(crate) stub: Stub,
}

impl Vision {
    /// With a key for everything.
    pub(crate) fn new() -> Vision {
        Vision::with(&[])
    }

    /// With further variables; an empty one is as good as none.
    pub(crate) fn with(more: &[(&str, &str)]) -> Vision {
        let (folder, stub) = (Folder::new(), Stub::start().expect("a stub"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_vision-mcp"));
        clean(&mut command).env("HOME", folder.as_path()).envs(stub.variables()).envs(more.iter().copied());
        Vision { client: Client::process(&mut command).speaking(Version::MODERN), folder, stub }
    }

    /// A call that succeeds: its text, and its structured content.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.client.call(tool, arguments);
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert_ne!(result["isError"], json!(true), "{text}");
        (text, result["structuredContent"].clone())
    }

    /// A call that fails: its message.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.client.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{result}");
        result["content"][0]["text"].as_str().expect("a message").to_owned()
    }

    /// The last request the provider got.
    pub(crate) fn sent(&self) -> Seen {
        self.stub.seen().pop().expect("a request")
    }

    /// The `data:` URLs in the last request to z.ai, in order: media type and bytes.
    pub(crate) fn sent_media(&self) -> Vec<(String, Vec<u8>)> {
        let body = self.sent().body;
        let parts = body["messages"][1]["content"].as_array().expect("parts").clone();
        let url = |part: &Value| {
            let url = part["image_url"]["url"].as_str().or(part["video_url"]["url"].as_str())?.to_owned();
            let (mime, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
            Some((mime.to_owned(), unbase64(data)))
        };
        parts.iter().filter_map(url).collect()
    }
}

/// Base64 to bytes.
pub(crate) fn unbase64(text: &str) -> Vec<u8> {
    base64_simd::STANDARD.decode_to_vec(text).expect("base64")
}
