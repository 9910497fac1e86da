//! Another program, bounded in time and in what it may say.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use crate::sys;

/// The most bytes of complaints that are kept.
const MOST_COMPLAINTS: u64 = 64 << 10;

/// What is run, and what it may use.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) input: Input<'a>,
    /// The most bytes it may say.
    pub(crate) output: usize,
    pub(crate) time: Duration,
}

/// What a program gets to read.
pub(crate) enum Input<'a> {
    /// These bytes, through a pipe.
    Bytes(&'a [u8]),
    /// This file, in which it can go back and forth.
    #[allow(dead_code, reason = "not every system hands files over")]
    File(std::fs::File),
}

/// How a program ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    pub(crate) output: Vec<u8>,
    pub(crate) complaints: Vec<u8>,
}

/// Why a program did not end by itself.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not be started, or not be listened to.
    #[error("it could not be run: {0}")]
    Start(#[from] io::Error),
    /// It took too long.
    #[error("it took longer than {} s", .0.as_secs())]
    Time(Duration),
    /// It said too much.
    #[error("it gave more than {0} bytes")]
    Output(usize),
}

impl Run<'_> {
    /// Runs the program with none of our environment: there are keys in it. It is killed when its time is over, when it says
    /// more than it may, and when nobody waits for it any more.
    pub(crate) async fn finish(self) -> Result<Ended, RunError> {
        let mut command = Command::new(self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(sys::environment())
            .current_dir(sys::folder_for(self.program))
            .kill_on_drop(true);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let bytes = match self.input {
            Input::Bytes(bytes) => {
                command.stdin(Stdio::piped());
                bytes
            }
            Input::File(file) => {
                command.stdin(Stdio::from(file));
                &[]
            }
        };
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let feed = async move {
            if let Some(mut stdin) = stdin {
                // One that has read enough hangs up; how it ended says the rest.
                let _ = stdin.write_all(bytes).await;
            }
            Ok::<(), RunError>(())
        };
        let hear = async {
            let output = read(stdout, self.output as u64 + 1).await?;
            if output.len() > self.output { Err(RunError::Output(self.output)) } else { Ok(output) }
        };
        let complaints = read(stderr, MOST_COMPLAINTS);
        let all = async {
            let ((), output, complaints) = tokio::try_join!(feed, hear, complaints)?;
            Ok(Ended { success: child.wait().await?.success(), output, complaints })
        };
        tokio::time::timeout(self.time, all).await.map_err(|_| RunError::Time(self.time))?
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(most).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::{Ended, Input, Run, RunError};

    async fn shell(script: &str, input: Input<'_>, seconds: u64) -> Result<Ended, RunError> {
        Run {
            program: Path::new("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
            input,
            output: 1000,
            time: Duration::from_secs(seconds),
        }
        .finish()
        .await
    }

    #[tokio::test]
    async fn what_a_program_says_and_how_it_ends_is_known() {
        let ended = shell("cat; echo no >&2; exit 3", Input::Bytes(b"hello"), 60).await.expect("it ends");
        assert_eq!((ended.success, ended.output, ended.complaints), (false, b"hello".into(), b"no\n".into()));
        let file = files::unnamed(b"a film").expect("a file");
        let ended = shell("cat /dev/stdin", Input::File(file), 60).await.expect("it ends");
        assert_eq!((ended.success, ended.output), (true, b"a film".into()));
    }

    #[tokio::test]
    async fn a_program_that_does_not_stop_is_stopped() {
        let endless = shell("while :; do echo more; done", Input::Bytes(b""), 60).await;
        assert!(matches!(endless, Err(RunError::Output(1000))), "{endless:?}");
        let slow = shell("exec sleep 1000", Input::Bytes(b""), 0).await;
        assert!(matches!(slow, Err(RunError::Time(_))), "{slow:?}");
    }

    #[tokio::test]
    async fn keys_in_the_environment_are_not_for_it() {
        let ended = shell("env", Input::Bytes(b""), 60).await.expect("it ends");
        let said = String::from_utf8(ended.output).expect("text");
        assert!(!said.contains("CARGO_MANIFEST_DIR"), "{said}");
    }

    #[tokio::test]
    async fn a_program_that_does_not_read_is_no_trouble() {
        let much = vec![b'x'; 1 << 20];
        let ended = shell("exec <&-; echo done", Input::Bytes(&much), 60).await.expect("it ends");
        assert_eq!(ended.output, b"done\n");
        let gone = Run {
            program: Path::new("/nothing/here"),
            arguments: Vec::new(),
            input: Input::Bytes(b""),
            output: 1,
            time: Duration::from_secs(1),
        };
        assert!(matches!(gone.finish().await, Err(RunError::Start(_))));
    }
}
