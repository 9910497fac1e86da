//! The `deskmate` binary, run to its end or spoken to.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use mcp_testkit::Client;

/// What a finished process left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command, with a state folder that no other test uses and that does not exist.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deskmate"));
    command.args(arguments).env("DESKMATE_HOME", unused_folder());
    command
}

pub(crate) fn unused_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nothing-is-here")
}

pub(crate) fn deskmate(arguments: &[&str]) -> Finished {
    finish(&mut command(arguments), "")
}

/// Runs a command to its end with this on its stdin.
pub(crate) fn finish(command: &mut Command, input: &str) -> Finished {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("deskmate starts");
    // One that reads nothing may be gone by now.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("deskmate ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Finished { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

pub(crate) fn client(arguments: &[&str]) -> Client {
    Client::process(&mut command(arguments))
}

impl Finished {
    /// What it said, after checking that all went well and that it did not complain.
    #[track_caller]
    pub(crate) fn said(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// What it complained about, after checking that it failed with this code and said nothing else.
    #[track_caller]
    pub(crate) fn complained(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{}", self.stderr);
        self.stderr
    }
}
