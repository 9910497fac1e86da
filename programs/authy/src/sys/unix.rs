//! Unix: the terminal, sockets, signals, `exec`.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use rustix::fs::OFlags;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use tokio::signal::unix::{SignalKind, signal};

use super::Typing;

/// What the agent listens on.
pub(crate) use std::os::unix::net::{UnixListener as Listener, UnixStream as Stream};

/// How others are kept from a file.
pub(crate) const CLOSE: &str = "run `chmod go-rwx` on both";

/// The terminal of this process.
pub(crate) struct Terminal(File);

/// How it was.
pub(crate) type Mode = Termios;

impl Terminal {
    /// If there is one.
    pub(crate) fn open() -> io::Result<Terminal> {
        File::options().read(true).write(true).open("/dev/tty").map(Terminal)
    }

    /// Has it give what is typed in another way; gives how it was.
    pub(crate) fn set(&self, typing: Typing) -> io::Result<Mode> {
        let before = tcgetattr(&self.0)?;
        let mut mode = before.clone();
        match typing {
            Typing::Lines => mode.local_modes -= LocalModes::ECHO | LocalModes::ECHONL,
            Typing::Keys | Typing::NewKeys => {
                mode.local_modes -=
                    LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN;
                let (least, tenths) = if typing == Typing::Keys { (1, 0) } else { (0, 10) };
                mode.special_codes[SpecialCodeIndex::VMIN] = least;
                mode.special_codes[SpecialCodeIndex::VTIME] = tenths;
            }
        }
        // People type ahead, and scripts do.
        let typed = if typing == Typing::NewKeys { OptionalActions::Flush } else { OptionalActions::Drain };
        tcsetattr(&self.0, typed, &mode)?;
        Ok(before)
    }

    pub(crate) fn restore(&self, before: &Mode) {
        let _ = tcsetattr(&self.0, OptionalActions::Drain, before);
    }
}

impl Read for &Terminal {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(bytes)
    }
}

impl Write for &Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.0).flush()
    }
}

/// Opens what a descriptor leads to. It is opened anew by its path, which needs no trust in the number: one that is not open is an
/// error and nothing else.
pub(crate) fn open_descriptor(number: i32) -> io::Result<File> {
    File::open(format!("/dev/fd/{number}"))
}

/// Opens the file that the one agent there is has locked: neither a pipe, which would keep us waiting, nor a link to somewhere else.
pub(crate) fn open_claim(path: &Path) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits()).unwrap_or_default();
    File::options().write(true).create(true).truncate(false).custom_flags(flags).open(path)
}

/// Lets nobody else connect to a socket.
pub(crate) fn close_socket(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

/// Refuses other users. Gives who asks, for the person to read.
#[cfg(target_os = "linux")]
pub(crate) fn check_peer(stream: &Stream) -> Result<String, String> {
    let peer = rustix::net::sockopt::socket_peercred(stream)
        .map_err(|errno| format!("it is not known who asks: {errno}"))?;
    if peer.uid != rustix::process::geteuid() {
        return Err("another user is at the other end".to_owned());
    }
    let pid = peer.pid.as_raw_nonzero().get();
    let parent = fs::read_to_string(format!("/proc/{pid}/stat")).ok().and_then(|stat| {
        let after = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.to_owned();
        fs::read_to_string(format!("/proc/{after}/comm")).ok()
    });
    let parent: String = parent.unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    Ok(format!("process {pid}, started by `{parent}`"))
}

/// Elsewhere the system is not asked who is at the other end, so nobody is let in.
#[cfg(not(target_os = "linux"))]
pub(crate) fn check_peer(_: &Stream) -> Result<String, String> {
    Err("this system does not say who asks".to_owned())
}

/// Where files are that are kept in memory.
pub(crate) fn in_memory() -> Option<PathBuf> {
    Some(PathBuf::from("/dev/shm")).filter(|folder| folder.is_dir())
}

/// The command that edits a file. By a shell, as the editor may have arguments.
pub(crate) fn editor(editor: Option<&OsStr>, file: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg("exec $AUTHY_EDITOR \"$1\"").arg("sh").arg(file);
    command.env("AUTHY_EDITOR", editor.unwrap_or(OsStr::new("vi")));
    command
}

/// Runs the editor to its end. Ctrl-C is the editor's own; a signal that ends us ends the editor first: whichever way it ends, the
/// value does not stay behind.
pub(crate) async fn editing(editor: Command) -> io::Result<ExitStatus> {
    let [mut interrupt, mut quit] = [signal(SignalKind::interrupt())?, signal(SignalKind::quit())?];
    let [mut hangup, mut end] = [signal(SignalKind::hangup())?, signal(SignalKind::terminate())?];
    let mut editor = tokio::process::Command::from(editor).spawn()?;
    loop {
        tokio::select! {
            ended = editor.wait() => return ended,
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
            _ = hangup.recv() => break,
            _ = end.recv() => break,
        }
    }
    editor.kill().await?;
    Err(io::Error::other("it was ended, and nothing was changed"))
}

/// Keeps Ctrl-C at this terminal from a command.
pub(crate) fn detach(command: &mut Command) {
    command.process_group(0);
}

/// Becomes another program, whose signals, terminal and exit code are its own; on success it never comes back.
pub(crate) fn run_instead(command: &mut Command) -> io::Result<ExitCode> {
    Err(command.exec())
}

/// The signal that ended a process.
pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// The name of a variable, as all that are the same to the system have it.
pub(crate) fn variable_bytes(name: &OsStr) -> Cow<'_, [u8]> {
    Cow::Borrowed(name.as_bytes())
}

/// The value of a variable.
#[allow(clippy::unnecessary_wraps, reason = "not every system takes all bytes")]
pub(crate) fn value(bytes: &[u8]) -> Option<OsString> {
    Some(OsStr::from_bytes(bytes).to_owned())
}

/// What a command needs besides on this system.
pub(crate) const fn variables() -> &'static [&'static str] {
    &[]
}
