//! The `metatag-genie` process, with a home folder of its own, asked in every way there is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

/// A folder for one test, gone with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("deskmate-metatag-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Folder(fs::canonicalize(folder).expect("a real path"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How the tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By `tools/call`, in a revision.
    Tool(Version),
    /// As a method of its own.
    Bare,
}

/// The oldest and the newest revision, and none.
const WAYS: [Way; 3] =
    [Way::Tool(Version::ALL[Version::ALL.len() - 1]), Way::Tool(Version::MODERN), Way::Bare];

pub(crate) struct Genie {
    pub(crate) client: Client,
    pub(crate) folder: Folder,
    /// Where the server keeps its state.
    pub(crate) state: Folder,
    way: Way,
}

pub(crate) fn command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metatag-genie"));
    for name in ["DESKMATE_ROOTS", "DESKMATE_HOME", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", home);
    command
}

impl Genie {
    pub(crate) fn new(way: Way) -> Genie {
        let (folder, state) = (Folder::new(), Folder::new());
        let client = Client::process(command(&folder.0).env("DESKMATE_HOME", &state.0));
        let client = match way {
            Way::Tool(version) => client.speaking(version),
            Way::Bare => client,
        };
        Genie { client, folder, state, way }
    }

    /// The whole answer to a call with these arguments.
    fn answer(&mut self, arguments: &Value) -> Value {
        match self.way {
            Way::Tool(_) => {
                let call = json!({ "name": "writeImageMetadata", "arguments": arguments });
                self.client.request("tools/call", call)
            }
            Way::Bare => self.client.request("writeImageMetadata", arguments.clone()),
        }
    }

    /// The object a call answers with.
    #[track_caller]
    pub(crate) fn call(&mut self, arguments: &Value) -> Value {
        let answer = self.answer(arguments);
        assert!(answer.get("error").is_none(), "{:?}: {answer}", self.way);
        let result = &answer["result"];
        if self.way == Way::Bare {
            return result.clone();
        }
        assert_ne!(result["isError"], true, "{answer}");
        let text = result["content"][0]["text"].as_str().expect("text");
        let object: Value = serde_json::from_str(text).expect("the object as text");
        if let Some(structured) = result.get("structuredContent") {
            assert_eq!(structured, &object);
        }
        object
    }

    /// The error a call ends in.
    #[track_caller]
    pub(crate) fn error(&mut self, arguments: &Value) -> Value {
        let answer = self.answer(arguments);
        assert!(answer.get("result").is_none(), "{:?}: {answer}", self.way);
        answer["error"].clone()
    }

    /// The data another tool answers with, and the same in words.
    #[track_caller]
    pub(crate) fn ask(&mut self, tool: &str, arguments: Value) -> (Value, String) {
        let mut result = self.client.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().expect("text").to_owned();
        (result["structuredContent"].take(), text)
    }

    /// The error a call of another tool ends in.
    #[track_caller]
    pub(crate) fn refusal(&mut self, tool: &str, arguments: &Value) -> Value {
        self.client.error("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Writes metadata and returns the message.
    #[track_caller]
    pub(crate) fn write(&mut self, path: &Path, metadata: &Value) -> String {
        let object = self.call(&json!({ "filePath": path, "metadata": metadata }));
        object["message"].as_str().expect("a message").to_owned()
    }

    /// Adds metadata and returns the message.
    #[track_caller]
    pub(crate) fn append(&mut self, path: &Path, metadata: &Value) -> String {
        let object = self.call(&json!({ "filePath": path, "metadata": metadata, "overwrite": false }));
        object["message"].as_str().expect("a message").to_owned()
    }
}

/// Runs a test in every way the tool can be called.
pub(crate) fn each_way(test: impl Fn(&mut Genie)) {
    for way in WAYS {
        test(&mut Genie::new(way));
    }
}

/// Runs a test in one way, where the way makes no difference.
pub(crate) fn genie() -> Genie {
    Genie::new(Way::Tool(Version::MODERN))
}
