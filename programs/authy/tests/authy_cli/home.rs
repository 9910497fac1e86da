//! A home with a vault of its own, and the binary run in it.
//!
//! Every secret in these tests has `canary` in it, and no command may show one on stderr or get one as an argument.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

pub(crate) const CANARY: &str = "canary";

/// A folder that is there as long as this is.
pub(crate) struct Home {
    folder: PathBuf,
}

/// What a finished command left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    /// Without a vault.
    pub(crate) fn empty() -> Home {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("authy-{}-{number}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Home { folder }
    }

    /// With a vault that a keyfile opens.
    pub(crate) fn new() -> Home {
        let home = Home::empty();
        home.run(&["init", "--generate-keyfile", &home.text("key")]).said();
        home
    }

    /// With a vault and these secrets.
    pub(crate) fn with(secrets: &[(&str, &str)]) -> Home {
        let home = Home::new();
        for (name, value) in secrets {
            home.run_with(&["store", name], value).said();
        }
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).expect("a file");
        self.text(name)
    }

    /// The command with its own vault, its keyfile, and nothing else in its environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        assert!(!arguments.iter().any(|argument| argument.contains(CANARY)), "a secret as an argument");
        let mut command = Command::new(env!("CARGO_BIN_EXE_authy"));
        command.args(arguments).env_clear().current_dir(&self.folder);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.folder).env("AUTHY_HOME", self.path("vault"));
        command.env("AUTHY_NON_INTERACTIVE", "1");
        if self.path("key").exists() {
            command.env("AUTHY_KEYFILE", self.path("key"));
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        self.run_with(arguments, "")
    }

    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Finished {
        finish(&mut self.command(arguments), input)
    }

    /// Under a token, and nothing that opens the whole vault.
    pub(crate) fn run_as(&self, token: &str, arguments: &[&str]) -> Finished {
        finish(self.command(arguments).env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", token), "")
    }

    /// A new policy, and a token on it.
    pub(crate) fn token(&self, policy: &str, allow: &str, can: &str) -> String {
        self.run(&["policy", "create", policy, "--allow", allow]).said();
        let issued = self.run(&["grant", "create", "--policy", policy, "--can", can]);
        assert_eq!(issued.code, Some(0), "{}", issued.stderr);
        issued.stdout.trim().to_owned()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn finish(command: &mut Command, input: &str) -> Finished {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("authy starts");
    // One that reads nothing may be gone by now.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("authy ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert!(!stderr.contains(CANARY), "a secret on stderr: {stderr}");
    Finished { code: output.status.code(), stdout, stderr }
}

impl Finished {
    /// What it said, after checking that all went well.
    #[track_caller]
    pub(crate) fn said(self) -> String {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.said()).expect("JSON")
    }

    /// What it complained about, after checking that it failed with this code and said nothing else.
    #[track_caller]
    pub(crate) fn complained(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{}", self.stderr);
        self.stderr
    }
}

pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).expect("there").mode() & 0o777
}
