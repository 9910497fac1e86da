//! The application with its window, and an eye on the screen it is on.

use std::fs;
use std::process::{Child, Command, ExitStatus, Stdio};

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::built::{root, said};

/// What its window says at first.
const WELCOME: &str = "Take a screenshot, make it clear";

/// What it says where screenshots will be.
const NONE_YET: &str = "No screenshots yet";

pub(crate) struct Window {
    /// The application, or what started it.
    child: Child,
    /// `fotos-mcp` beside it, which looks at the same screen and reads what is there.
    eye: Client,
}

impl Window {
    /// Starts the application, and waits until its page can be read on the screen.
    #[track_caller]
    pub(crate) fn start(application: &mut Command, eye: &mut Command) -> Window {
        let child = application
            .stdin(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {application:?}: {error}"));
        // Agents do not see the window of Fotos; this is no agent.
        let eye = eye.args(["--mode", "standalone"]).env("FOTOS_EXCLUDE", "none");
        let eye = Client::process(eye).speaking(Version::NEWEST_LEGACY);
        let mut window = Window { child, eye };
        window.waits("text_appears", WELCOME);
        window.waits("text_appears", NONE_YET);
        window
    }

    /// Waits until it shows a screenshot.
    #[track_caller]
    pub(crate) fn shows_a_screenshot(&mut self) {
        self.waits("text_gone", NONE_YET);
    }

    #[track_caller]
    fn waits(&mut self, until: &str, text: &str) {
        // As long as a client waits for an answer, twice: a cold start on a busy machine takes its time.
        for _ in 0..2 {
            let asked = json!({ "until": until, "text": text, "timeout_ms": 50_000 });
            let result = self.eye.call("wait_for", asked);
            assert_ne!(result["isError"], true, "{result}");
            if result["structuredContent"]["happened"] == true {
                return;
            }
            let ended = self.child.try_wait().expect("a process");
            assert!(ended.is_none(), "the application ended: {ended:?}");
        }
        self.keep("failed");
        panic!("{until}: {text}; .dev/package/seen/failed.png is the screen");
    }

    /// Keeps a picture of the screen in `.dev/package/seen`, for people.
    #[track_caller]
    pub(crate) fn keep(&mut self, name: &str) {
        let result = self.eye.call("take_screenshot", json!({}));
        let content = result["content"].as_array().expect("content");
        let image = content.iter().find(|block| block["type"] == "image").expect("an image");
        let folder = root().join(".dev/package/seen");
        fs::create_dir_all(&folder).expect("a folder");
        let text = folder.join(format!("{name}.base64"));
        fs::write(&text, image["data"].as_str().expect("base64")).expect("a file");
        let picture = fs::File::create(folder.join(format!("{name}.png"))).expect("a file");
        said(Command::new("base64").arg("--decode").arg(&text).stdout(picture));
        let _ = fs::remove_file(text);
    }

    /// The titles of the windows on the screen.
    #[track_caller]
    pub(crate) fn titles(&mut self) -> Vec<String> {
        let result = self.eye.call("list_windows", json!({}));
        let windows = result["structuredContent"]["windows"].as_array();
        let windows = windows.unwrap_or_else(|| panic!("windows: {result}"));
        windows.iter().filter_map(|window| window["title"].as_str().map(str::to_owned)).collect()
    }

    /// Asks it to end, as the session does; how it ended.
    #[track_caller]
    pub(crate) fn end(mut self) -> ExitStatus {
        said(Command::new("kill").arg(self.child.id().to_string()));
        self.child.wait().expect("it ends")
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What an agent took, through a bridge.
#[track_caller]
pub(crate) fn agent_takes_a_screenshot(fotos_mcp: &mut Command) -> Value {
    let mut client = Client::process(fotos_mcp.args(["--mode", "bridge"])).speaking(Version::NEWEST_LEGACY);
    crate::conversation::picture(&mut client)
}
