//! Running a command to its end, or to the end of our patience.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use zeroize::Zeroizing;

use super::environment::{BadVariable, Environment, Variable, distinct};
use super::program::{Program, ProgramError};
use super::rules::{NotAllowed, Rules};
use crate::scrub::{Capture, Captured, Patterns, Secret};

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
    /// Where it runs; `None` is where we are.
    pub folder: Option<&'a std::path::Path>,
}

/// What a command reads on stdin.
#[derive(Debug, Clone, Copy)]
pub enum Stdin<'a> {
    /// Nothing.
    Empty,
    /// A secret, and then the end.
    Secret(Secret<'a>),
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
    Variable(#[from] BadVariable),
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
        rules.check(self.program, self.arguments)?;
        distinct(&self.variables)?;
        let program = Program::find(self.program, &environment.path())?;
        let patterns = Arc::new(Patterns::new(self.secrets()));
        let shown = patterns.too_short().is_empty();
        let start = |source| RunError::Start { program: self.program.to_owned(), source };
        let mut child = self.prepare(&program, environment, shown).spawn().map_err(start)?;
        let mut group = Group::of(&child);
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let feeding = feed(child.stdin.take(), self.stdin);
        let reading = async {
            tokio::join!(
                read(stdout, Arc::clone(&patterns), bounds.output),
                read(stderr, Arc::clone(&patterns), bounds.output)
            )
        };
        // What it started in the background goes when it goes, or its pipes would stay open for as long.
        let ending = async {
            let in_time = tokio::time::timeout(bounds.time, exited(&mut child)).await.is_ok();
            group.end();
            child.wait().await.map(|status| if in_time { Exit::from(status) } else { Exit::TimedOut })
        };
        let all = async { tokio::join!(reading, feeding, ending) };
        match tokio::time::timeout(bounds.time + GRACE, all).await {
            Ok(((stdout, stderr), (), exit)) => {
                let lost = |source| RunError::Lost { program: self.program.to_owned(), source };
                Ok(Finished { exit: exit.map_err(lost)?, stdout, stderr })
            }
            // Something that left the group holds the pipes open. What it says is not waited for.
            Err(_) => {
                Ok(Finished { exit: Exit::TimedOut, stdout: Captured::Withheld, stderr: Captured::Withheld })
            }
        }
    }

    fn secrets(&self) -> impl Iterator<Item = Secret<'_>> {
        let stdin = match self.stdin {
            Stdin::Secret(secret) => Some(secret),
            Stdin::Empty => None,
        };
        self.variables.iter().map(Variable::secret).chain(stdin).chain(self.also_hidden.iter().copied())
    }

    fn prepare(&self, program: &Program, environment: &Environment, shown: bool) -> tokio::process::Command {
        use std::os::unix::ffi::OsStrExt as _;
        let output = || if shown { Stdio::piped() } else { Stdio::null() };
        let mut command = tokio::process::Command::new(program.path());
        command.args(self.arguments).env_clear().process_group(0).kill_on_drop(true);
        command.arg0(self.program);
        command.stdout(output()).stderr(output());
        command.stdin(if matches!(self.stdin, Stdin::Empty) { Stdio::null() } else { Stdio::piped() });
        for (name, value) in environment.variables() {
            command.env(name, value);
        }
        for variable in &self.variables {
            command.env(variable.name(), std::ffi::OsStr::from_bytes(variable.secret().value));
        }
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        confine(&mut command);
        command
    }
}

/// What the new process does to itself before it becomes the program.
#[allow(unsafe_code, reason = "the only way to do something between fork and exec")]
fn confine(command: &mut tokio::process::Command) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let prepare = || {
        // A core file would have the secrets in it.
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // Ours are closed on exec already; those of libraries may not be. Kernels before 5.11 do not have the call.
            // SAFETY: the call takes three numbers and touches no memory.
            unsafe {
                libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec only calls are made that are safe there: three system calls, without allocation or
    // locks.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// The process group of a command. It is killed while the command, if only as a zombie, still holds its number: later the
/// number might be somebody else's.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &tokio::process::Child) -> Group {
        Group(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    fn end(&mut self) {
        if let Some(group) = self.0.take() {
            // It may be gone already, which is as well.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Resolves when the command has ended, and if possible before anybody has collected it.
async fn exited(child: &mut tokio::process::Child) {
    #[cfg(target_os = "linux")]
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
        && let Ok(handle) = rustix::process::pidfd_open(id, rustix::process::PidfdFlags::NONBLOCK)
        && let Ok(handle) = watched(handle)
        && handle.readable().await.is_ok()
    {
        return;
    }
    // The result is kept, and given again to whoever waits next.
    let _ = child.wait().await;
}

/// Lets the runtime tell when a process handle becomes readable, which is when the process ends.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the runtime wants a promise about the descriptor")]
fn watched(handle: std::os::fd::OwnedFd) -> io::Result<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>> {
    use tokio::io::unix::AsyncFd;
    // SAFETY: the descriptor is owned by what watches it, so it is open, and the same, for as long as it is watched.
    unsafe { AsyncFd::register_with_interest(handle, tokio::io::Interest::READABLE).map_err(Into::into) }
}

/// Writes the secret, and closes the pipe. A command that does not read it is free not to.
async fn feed(pipe: Option<tokio::process::ChildStdin>, stdin: Stdin<'_>) {
    if let (Some(mut pipe), Stdin::Secret(secret)) = (pipe, stdin) {
        let _ = pipe.write_all(secret.value).await;
        let _ = pipe.shutdown().await;
    }
}

/// Reads an output to its end, keeps as much as may be kept, and throws the rest away, so that the command is not held up.
async fn read(pipe: Option<impl AsyncRead + Unpin>, patterns: Arc<Patterns>, most: usize) -> Captured {
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

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        match (status.code(), status.signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, signal) => Exit::Signal(signal.unwrap_or_default()),
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
