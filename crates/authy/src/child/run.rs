//! Running a command to its end, or to the end of our patience.

use std::fmt;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdout};
use zeroize::Zeroizing;

use super::confinement::{Confinement, Unconfined};
use super::environment::{Environment, Variable, VariableError, distinct};
use super::own_folder::OwnFolder;
use super::program::{Program, ProgramError};
use super::rules::{NotAllowed, Rules};
use crate::scrub::{Capture, Captured, Patterns, Scrubber, Secret};
use crate::sys::{self, Group};

/// A command about to be run.
pub struct Command<'a> {
    /// The program, by name or absolute path.
    pub program: &'a str,
    /// Its arguments.
    pub arguments: &'a [String],
    /// Secrets in its environment.
    pub variables: Vec<Variable<'a>>,
    /// What it reads.
    pub stdin: Stdin<'a>,
    /// Secrets it does not get but that must not be shown either, such as others it can reach.
    pub also_hidden: Vec<Secret<'a>>,
    /// What it may touch.
    pub confinement: Confinement,
}

/// What a command reads on stdin.
#[derive(Debug, Clone, Copy)]
pub enum Stdin<'a> {
    /// Nothing.
    Empty,
    /// A secret, and then the end.
    Secret(Secret<'a>),
    /// What we read.
    Ours,
}

/// How long a command may take and how much of its output is kept.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The time from start to end.
    pub time: Duration,
    /// Bytes of each of its two outputs, after scrubbing.
    pub output: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { time: Duration::from_secs(60), output: 64 * 1024 }
    }
}

/// A command that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How.
    pub exit: Exit,
    /// What it printed.
    pub stdout: Captured,
    /// What it complained about.
    pub stderr: Captured,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// By us, because it took too long.
    TimedOut,
}

/// Longer than anybody waits.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// How long the pipes of a command may stay open after its end.
const GRACE: Duration = Duration::from_secs(2);

/// Why a command was not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No rule allows it.
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    /// Its program cannot be run.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A secret cannot be put into its environment.
    #[error(transparent)]
    Variable(#[from] VariableError),
    /// It cannot be confined.
    #[error(transparent)]
    Unconfined(#[from] Unconfined),
    /// The system did not start it.
    #[error("cannot start `{program}`: {source}; check that it can be run by hand")]
    Start {
        /// The program.
        program: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// It could not be waited for.
    #[error("lost sight of `{program}`: {source}; try again")]
    Lost {
        /// The program.
        program: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl Command<'_> {
    /// Runs the command if the rules allow it. Dropping the future ends the command and everything it started in its
    /// process group.
    ///
    /// To be called on a thread that lives as long as the command may: the kernel ends the command when the thread that
    /// started it ends, and so when we are killed.
    pub async fn run(
        &self,
        rules: &Rules,
        environment: &Environment,
        bounds: Bounds,
    ) -> Result<Finished, RunError> {
        let patterns = Arc::new(Patterns::new(self.secrets()));
        let (out, err) = (Arc::clone(&patterns), Arc::clone(&patterns));
        self.go(
            rules,
            environment,
            bounds.time,
            patterns.too_short().is_empty(),
            |stdout, stderr| async move {
                tokio::join!(capture(stdout, out, bounds.output), capture(stderr, err, bounds.output))
            },
        )
        .await
        .map(|(exit, read)| match read {
            Some((stdout, stderr)) => Finished { exit, stdout, stderr },
            // Something that left the group holds the pipes open. What it says is not waited for.
            None => Finished { exit: Exit::TimedOut, stdout: Captured::Withheld, stderr: Captured::Withheld },
        })
    }

    /// Runs the command to its end, however long that takes, and passes its output on as it comes, with values replaced by
    /// their names. Blocks.
    pub fn pass_on(&self, rules: &Rules, environment: &Environment) -> Result<Exit, RunError> {
        let start = |source| RunError::Start { program: self.program.to_owned(), source };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(start)?;
        let patterns = Arc::new(Patterns::new(self.secrets()));
        let passing = async {
            self.go(rules, environment, FOREVER, patterns.too_short().is_empty(), |stdout, stderr| {
                let (out, err) = (Arc::clone(&patterns), Arc::clone(&patterns));
                async move {
                    tokio::join!(pass_on(stdout, out, io::stdout()), pass_on(stderr, err, io::stderr()))
                }
            })
            .await
        };
        runtime.block_on(passing).map(|(exit, _)| exit)
    }

    /// Starts the command, feeds it, lets `read` read what it prints, and ends all that it started. Without what was read
    /// if that did not come to an end in time.
    async fn go<T, R: Future<Output = T>>(
        &self,
        rules: &Rules,
        environment: &Environment,
        time: Duration,
        shown: bool,
        read: impl FnOnce(Option<ChildStdout>, Option<ChildStderr>) -> R,
    ) -> Result<(Exit, Option<T>), RunError> {
        rules.check(self.program, self.arguments)?;
        distinct(&self.variables)?;
        let prepared = self.prepared(environment)?;
        let start = |source| RunError::Start { program: self.program.to_owned(), source };
        let mut command = self.prepare(&prepared, shown)?;
        let mut child = command.spawn().map_err(start)?;
        let mut group = Group::of(&child).map_err(start)?;
        let reading = read(child.stdout.take(), child.stderr.take());
        let feeding = feed(child.stdin.take(), self.stdin);
        // What it started in the background goes when it goes, or its pipes would stay open for as long.
        let ending = async {
            let in_time = tokio::time::timeout(time, sys::exited(&mut child)).await.is_ok();
            group.end();
            child.wait().await.map(|status| if in_time { Exit::from(status) } else { Exit::TimedOut })
        };
        let all = async { tokio::join!(reading, feeding, ending) };
        match tokio::time::timeout(time + GRACE, all).await {
            Ok((read, (), exit)) => {
                let lost = |source| RunError::Lost { program: self.program.to_owned(), source };
                Ok((exit.map_err(lost)?, Some(read)))
            }
            Err(_) => Ok((Exit::TimedOut, None)),
        }
    }

    fn secrets(&self) -> impl Iterator<Item = Secret<'_>> {
        let stdin = match self.stdin {
            Stdin::Secret(secret) => Some(secret),
            Stdin::Empty | Stdin::Ours => None,
        };
        self.variables.iter().map(Variable::secret).chain(stdin).chain(self.also_hidden.iter().copied())
    }

    /// Finds the program, and where it runs.
    fn prepared(&self, environment: &Environment) -> Result<Prepared, RunError> {
        match &self.confinement {
            Confinement::Open => {
                let program = Program::find(self.program, &environment.path())?;
                Ok(Prepared { program, environment: environment.clone(), folder: None, own: None })
            }
            Confinement::Ruled(ruled) => {
                let path = ruled.program().to_str().unwrap_or_default();
                let program = Program::find(path, std::ffi::OsStr::new(""))?;
                ruled.check_program(&program)?;
                let (folder, own) = ruled.folders()?;
                let environment = environment.confined(own.path());
                Ok(Prepared { program, environment, folder: Some(folder), own: Some(own) })
            }
        }
    }

    fn prepare(&self, prepared: &Prepared, shown: bool) -> Result<tokio::process::Command, RunError> {
        let output = || if shown { Stdio::piped() } else { Stdio::null() };
        let mut command = tokio::process::Command::new(prepared.program.path());
        command.args(self.arguments).env_clear().kill_on_drop(true);
        command.stdout(output()).stderr(output());
        command.stdin(match self.stdin {
            Stdin::Empty => Stdio::null(),
            Stdin::Secret(_) => Stdio::piped(),
            Stdin::Ours => Stdio::inherit(),
        });
        for (name, value) in prepared.environment.variables() {
            command.env(name, value);
        }
        for variable in &self.variables {
            let value = sys::variable_value(variable.secret().value)
                .ok_or_else(|| VariableError::NotText(variable.name().to_owned()))?;
            command.env(variable.name(), value);
        }
        if let Some(folder) = &prepared.folder {
            command.current_dir(folder);
        }
        let fence = match (&self.confinement, &prepared.own) {
            (Confinement::Ruled(ruled), Some(own)) => Some(ruled.fence(own)?),
            _ => None,
        };
        sys::prepare(&mut command, self.program, fence);
        Ok(command)
    }
}

/// A command whose program was found. Its own folder is gone when this is.
struct Prepared {
    program: Program,
    environment: Environment,
    folder: Option<std::path::PathBuf>,
    own: Option<OwnFolder>,
}

/// Writes the secret, and closes the pipe. A command that does not read it is free not to.
async fn feed(pipe: Option<tokio::process::ChildStdin>, stdin: Stdin<'_>) {
    if let (Some(mut pipe), Stdin::Secret(secret)) = (pipe, stdin) {
        let _ = pipe.write_all(secret.value).await;
        let _ = pipe.shutdown().await;
    }
}

/// Reads an output to its end, keeps as much as may be kept, and throws the rest away, so that the command is not held up.
async fn capture(pipe: Option<impl AsyncRead + Unpin>, patterns: Arc<Patterns>, most: usize) -> Captured {
    let Some(mut pipe) = pipe else { return Captured::Withheld };
    let mut capture = Capture::new(patterns, most);
    let mut piece = Zeroizing::new(vec![0; 16 * 1024]);
    while let Ok(count) = pipe.read(&mut piece).await {
        if count == 0 {
            break;
        }
        capture.push(&piece[..count]);
    }
    capture.finish()
}

/// Passes an output on as it comes. When nobody reads any more, the command learns it by its closed pipe.
async fn pass_on(pipe: Option<impl AsyncRead + Unpin>, patterns: Arc<Patterns>, mut to: impl io::Write) {
    let Some(mut pipe) = pipe else { return };
    let mut scrubber = Scrubber::new(patterns);
    let (mut piece, mut clean) = (Zeroizing::new(vec![0; 16 * 1024]), Vec::new());
    while let Ok(count) = pipe.read(&mut piece).await {
        if count == 0 {
            break;
        }
        scrubber.push(&piece[..count], &mut clean);
        if to.write_all(&clean).and_then(|()| to.flush()).is_err() {
            return;
        }
        clean.clear();
    }
    scrubber.finish(&mut clean);
    let _ = to.write_all(&clean).and_then(|()| to.flush());
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        match status.code() {
            Some(code) => Exit::Code(code),
            None => Exit::Signal(sys::signal_of(status).unwrap_or_default()),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
            Exit::TimedOut => f.write_str("timed out"),
        }
    }
}
