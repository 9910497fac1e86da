//! Windows: the console, and what there is instead of signals and `exec`.
#![allow(unsafe_code, reason = "system calls that have no safe form")]

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
use windows_sys::Win32::Foundation::WAIT_TIMEOUT;
use windows_sys::Win32::System::Console::{
    ENABLE_ECHO_INPUT, ENABLE_LINE_INPUT, ENABLE_PROCESSED_INPUT, ENABLE_VIRTUAL_TERMINAL_INPUT,
    FlushConsoleInputBuffer, GetConsoleMode, ReadConsoleW, SetConsoleMode,
};
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, WaitForSingleObject};

use super::Typing;

/// How others are kept from a file.
pub(crate) const CLOSE: &str = "let their properties name you alone, under Security";

/// The console of this process.
pub(crate) struct Terminal {
    input: File,
    output: File,
    /// Bytes that were read and not yet given, and half of a character that takes two units.
    read: Mutex<(Vec<u8>, Option<u16>)>,
    typing: Mutex<Option<Typing>>,
}

/// How it was.
pub(crate) struct Mode(u32, Option<Typing>);

impl Terminal {
    /// If there is one.
    pub(crate) fn open() -> io::Result<Terminal> {
        let input = File::options().read(true).write(true).open("CONIN$")?;
        let output = File::options().read(true).write(true).open("CONOUT$")?;
        Ok(Terminal { input, output, read: Mutex::default(), typing: Mutex::default() })
    }

    /// Has it give what is typed in another way; gives how it was.
    pub(crate) fn set(&self, typing: Typing) -> io::Result<Mode> {
        let mut before = 0;
        // SAFETY: the handle is open, and the pointer leads to a place for the mode.
        if unsafe { GetConsoleMode(self.input.as_raw_handle(), &raw mut before) } == 0 {
            return Err(io::Error::last_os_error());
        }
        let mode = match typing {
            Typing::Lines => before & !ENABLE_ECHO_INPUT,
            // A paste is marked only where keys are given as a terminal gives them.
            Typing::Keys | Typing::NewKeys => {
                before & !(ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT)
                    | ENABLE_VIRTUAL_TERMINAL_INPUT
            }
        };
        self.apply(mode)?;
        if typing == Typing::NewKeys {
            // SAFETY: the handle is open.
            unsafe { FlushConsoleInputBuffer(self.input.as_raw_handle()) };
        }
        let mut now = self.typing.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Mode(before, now.replace(typing)))
    }

    pub(crate) fn restore(&self, before: &Mode) {
        let _ = self.apply(before.0);
        *self.typing.lock().unwrap_or_else(PoisonError::into_inner) = before.1;
    }

    fn apply(&self, mode: u32) -> io::Result<()> {
        // SAFETY: the handle is open.
        let set = unsafe { SetConsoleMode(self.input.as_raw_handle(), mode) };
        if set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// The next unit of what is typed; nothing at the end.
    fn unit(&self) -> io::Result<Option<u16>> {
        let (mut unit, mut count) = (0_u16, 0);
        // SAFETY: there is room for the one unit that is asked for, and for the count.
        let told = unsafe {
            ReadConsoleW(
                self.input.as_raw_handle(),
                (&raw mut unit).cast(),
                1,
                &raw mut count,
                std::ptr::null(),
            )
        };
        if told == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((count == 1).then_some(unit))
    }

    /// Waits for a key as long as the way of typing says; whether there is one.
    fn has_key(&self) -> bool {
        let typing = *self.typing.lock().unwrap_or_else(PoisonError::into_inner);
        if typing != Some(Typing::NewKeys) {
            return true;
        }
        // SAFETY: the handle is open.
        unsafe { WaitForSingleObject(self.input.as_raw_handle(), 1_000) != WAIT_TIMEOUT }
    }
}

impl Read for &Terminal {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        while read.0.is_empty() {
            if !self.has_key() {
                return Ok(0);
            }
            let Some(unit) = self.unit()? else { return Ok(0) };
            let units = read.1.take().into_iter().chain([unit]);
            let text: String = char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{fffd}')).collect();
            // The first half of a character waits for the second.
            if (0xd800..0xdc00).contains(&unit) {
                read.1 = Some(unit);
            } else {
                read.0.extend(text.bytes());
            }
        }
        let count = bytes.len().min(read.0.len());
        let given: Vec<u8> = read.0.drain(..count).collect();
        bytes[..count].copy_from_slice(&given);
        Ok(count)
    }
}

impl Write for &Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.output).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.output).flush()
    }
}

/// Only stdin has a number here.
pub(crate) fn open_descriptor(number: i32) -> io::Result<File> {
    match number {
        0 => Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?)),
        _ => {
            Err(io::Error::new(io::ErrorKind::Unsupported, "on Windows only 0, which is stdin, can be named"))
        }
    }
}

fn no_agent() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "there is no agent on Windows; commands unlock the vault themselves",
    )
}

/// What the agent would listen on: there is none.
pub(crate) enum Listener {}

impl Listener {
    pub(crate) fn bind(_: impl AsRef<Path>) -> io::Result<Listener> {
        Err(no_agent())
    }

    pub(crate) fn incoming(&self) -> std::iter::Empty<io::Result<Stream>> {
        match *self {}
    }
}

/// A connection to an agent: there is none.
pub(crate) enum Stream {}

impl Stream {
    pub(crate) fn connect(_: impl AsRef<Path>) -> io::Result<Stream> {
        Err(no_agent())
    }

    pub(crate) fn set_write_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn set_read_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        match *self {}
    }
}

impl Read for &Stream {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match **self {}
    }
}

impl Write for &Stream {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match **self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match **self {}
    }
}

pub(crate) fn open_claim(_: &Path) -> io::Result<File> {
    Err(no_agent())
}

pub(crate) fn close_socket(_: &Path) -> io::Result<()> {
    Err(no_agent())
}

pub(crate) fn check_peer(stream: &Stream) -> Result<String, String> {
    match *stream {}
}

/// There is no folder for files in memory.
pub(crate) fn in_memory() -> Option<PathBuf> {
    None
}

/// The command that edits a file. What names the editor is a path, or a program and its arguments.
pub(crate) fn editor(editor: Option<&OsStr>, file: &Path) -> Command {
    let editor = editor.unwrap_or(OsStr::new("notepad.exe"));
    let text = editor.to_string_lossy();
    let mut words = text.split_whitespace();
    let mut command = match words.next() {
        Some(program) if !Path::new(editor).is_file() => {
            let mut command = Command::new(program);
            command.args(words);
            command
        }
        _ => Command::new(editor),
    };
    command.arg(file);
    command
}

/// Runs the editor to its end. Ctrl-C is the editor's own; when the console is closed, the editor ends first: whichever way it ends,
/// the value does not stay behind.
pub(crate) async fn editing(editor: Command) -> io::Result<ExitStatus> {
    let (mut interrupt, mut pause, mut close) = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
    let mut editor = tokio::process::Command::from(editor).spawn()?;
    loop {
        tokio::select! {
            ended = editor.wait() => return ended,
            _ = interrupt.recv() => {}
            _ = pause.recv() => break,
            _ = close.recv() => break,
        }
    }
    editor.kill().await?;
    Err(io::Error::other("it was ended, and nothing was changed"))
}

/// Keeps Ctrl-C at this console from a command.
pub(crate) fn detach(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Runs another program to its end, and ends as it does.
pub(crate) fn run_instead(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code().unwrap_or(1);
    Ok(u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The signal that ended a process: there are none.
pub(crate) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// The name of a variable, as all that are the same to the system have it: letter case makes no difference.
pub(crate) fn variable_bytes(name: &OsStr) -> Cow<'_, [u8]> {
    Cow::Owned(name.to_string_lossy().to_uppercase().into_bytes())
}

/// The value of a variable, which is text here.
pub(crate) fn value(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(OsString::from)
}

/// What a command needs besides on this system, as [`variable_bytes`] has it.
pub(crate) const fn variables() -> &'static [&'static str] {
    &[
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
        "TEMP",
        "TMP",
        "PATHEXT",
        "COMSPEC",
    ]
}
