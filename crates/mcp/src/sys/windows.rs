//! Windows: handles, Ctrl-C, named pipes.
#![allow(unsafe_code, reason = "a system call that has no safe form")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, IntoRawHandle};
use std::path::PathBuf;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::windows::named_pipe::ClientOptions;
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};
use windows_sys::Win32::Foundation::{ERROR_PIPE_BUSY, HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Console::{STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle};

use crate::stream::Stream;

/// How long to wait before asking again, when all ends of a pipe are taken for the moment.
const PAUSE: Duration = Duration::from_millis(10);

/// What tells this process to stop.
pub(crate) struct Signals(CtrlC, CtrlBreak, CtrlClose);

impl Signals {
    pub(crate) fn new() -> io::Result<Signals> {
        Ok(Signals(ctrl_c()?, ctrl_break()?, ctrl_close()?))
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let told = self.0.poll_recv(cx).is_ready()
            || self.1.poll_recv(cx).is_ready()
            || self.2.poll_recv(cx).is_ready();
        if told { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Our own handles of stdin and stdout; the process has `NUL` and stderr in their place.
pub(crate) fn take_stdio() -> io::Result<(File, File)> {
    let input = File::from(io::stdin().as_handle().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_handle().try_clone_to_owned()?);
    // Those the process was started with stay open: a program that we start would have them, too, and could speak for us or keep the
    // connection open.
    keep_from_children(io::stdin().as_raw_handle())?;
    keep_from_children(io::stdout().as_raw_handle())?;
    // The process has it from here on.
    let nothing = OpenOptions::new().read(true).open("NUL")?.into_raw_handle();
    set(STD_INPUT_HANDLE, nothing)?;
    set(STD_OUTPUT_HANDLE, io::stderr().as_raw_handle())?;
    Ok((input, output))
}

fn keep_from_children(handle: HANDLE) -> io::Result<()> {
    // SAFETY: no pointer is passed.
    let done = unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn set(which: STD_HANDLE, handle: HANDLE) -> io::Result<()> {
    // SAFETY: no pointer is passed; the handle stays open as long as the process runs.
    let done = unsafe { SetStdHandle(which, handle) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Connects to a named pipe.
pub(crate) async fn connect(name: PathBuf) -> io::Result<Stream> {
    loop {
        match ClientOptions::new().open(&name) {
            Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed()) => {
                tokio::time::sleep(PAUSE).await;
            }
            opened => return opened.map(Stream::whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::windows::io::AsRawHandle;

    use windows_sys::Win32::Foundation::{
        GetHandleInformation, HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation,
    };

    use super::keep_from_children;

    fn is_inherited(handle: HANDLE) -> bool {
        let mut flags = 0;
        // SAFETY: the pointer leads to a place for the flags.
        assert_ne!(unsafe { GetHandleInformation(handle, &raw mut flags) }, 0);
        flags & HANDLE_FLAG_INHERIT != 0
    }

    #[test]
    fn what_we_were_started_with_is_not_for_programs_we_start() {
        let file = File::open("NUL").expect("it opens");
        let handle = file.as_raw_handle();
        // SAFETY: no pointer is passed.
        assert_ne!(unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) }, 0);
        assert!(is_inherited(handle));
        keep_from_children(handle).expect("done");
        assert!(!is_inherited(handle));
    }
}
