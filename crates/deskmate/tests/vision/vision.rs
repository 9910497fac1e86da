//! The `vision-mcp` process with a stub for a provider, and a folder for its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp::Version;
use mcp_testkit::Client;
use models_stub::{Seen, Stub};
use serde_json::{Value, json};

pub(crate) const KEY: &str = "zai-0123456789abcdef.secret";

/// Every provider that can be named.
pub(crate) const PROVIDERS: [&str; 6] = ["zai", "openai", "claude", "gemini", "ollama", "compatible"];

/// A folder for one test, gone with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("deskmate-vision-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Folder(fs::canonicalize(folder).expect("a real path"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }

    pub(crate) fn as_path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The variables under which every provider is the stub.
pub(crate) fn variables(stub: &Stub) -> Vec<(&'static str, String)> {
    let url = stub.url();
    vec![
        ("Z_AI_BASE_URL", format!("{url}/api/paas/v4")),
        ("OPENAI_BASE_URL", format!("{url}/v1")),
        ("ANTHROPIC_BASE_URL", url.clone()),
        ("GEMINI_BASE_URL", url.clone()),
        ("OLLAMA_HOST", url.clone()),
        ("OPENAI_COMPATIBLE_BASE_URL", format!("{url}/v1")),
        ("Z_AI_API_KEY", KEY.to_owned()),
        ("OPENAI_API_KEY", KEY.to_owned()),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("GEMINI_API_KEY", KEY.to_owned()),
        ("OPENAI_COMPATIBLE_API_KEY", KEY.to_owned()),
        ("Z_AI_RETRY_COUNT", "0".to_owned()),
    ]
}

/// Nothing of what the person who runs the tests has set.
pub(crate) fn clean(command: &mut Command) -> &mut Command {
    for name in [
        "ANTHROPIC_AUTH_TOKEN",
        "AUTHY_HOME",
        "AUTHY_KEYFILE",
        "AUTHY_PASSPHRASE",
        "AUTHY_TOKEN",
        "DESKMATE_ROOTS",
        "GOOGLE_API_KEY",
        "OLLAMA_API_KEY",
        "OLLAMA_BASE_URL",
        "OPENAI_API",
        "PLATFORM_MODE",
        "VISION_ALLOW_HOSTS",
        "VISION_PROVIDER",
        "ZAI_API_KEY",
        "Z_AI_API_KEY",
        "Z_AI_MODE",
        "Z_AI_TIMEOUT",
        "Z_AI_VISION_MODEL",
    ] {
        command.env_remove(name);
    }
    command
}

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
        clean(&mut command).env("HOME", folder.as_path()).envs(variables(&stub)).envs(more.iter().copied());
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
