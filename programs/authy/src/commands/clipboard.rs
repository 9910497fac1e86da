//! `authy cp`: a value on the clipboard, for a while.
//!
//! The clipboard is the one of the desktop where there is one (`wl-copy`, `xclip`, `xsel`, `pbcopy`), else that of the terminal, by its
//! escape sequence OSC 52.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use authy::SecretName;

use super::desk::{self, Desk};
use super::failure::Failure;
use super::hidden;
use crate::sys;

/// Copy the value of a secret to the clipboard, and clear it again
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy cp stripe-key
  authy cp stripe-key --clear-after 10")]
pub(super) struct Args {
    /// Which secret
    name: SecretName,
    /// After how many seconds the clipboard is cleared, if the value is still in it
    #[arg(long, value_name = "SECONDS", default_value_t = 45, value_parser = clap::value_parser!(u64).range(1..=3600))]
    clear_after: u64,
}

/// Clear the clipboard after a while, if it still has what is on stdin
#[derive(clap::Args)]
pub(super) struct ClearArgs {
    seconds: u64,
}

/// What has a clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clipboard {
    /// The desktop: what writes it, and what reads it.
    Programs { write: &'static [&'static str], read: &'static [&'static str] },
    /// The terminal. What is in it cannot be read.
    Terminal,
}

impl Clipboard {
    fn find() -> Option<Clipboard> {
        const WAYLAND: Clipboard =
            Clipboard::Programs { write: &["wl-copy"], read: &["wl-paste", "--no-newline"] };
        const XCLIP: Clipboard = Clipboard::Programs {
            write: &["xclip", "-selection", "clipboard"],
            read: &["xclip", "-selection", "clipboard", "-o"],
        };
        const XSEL: Clipboard = Clipboard::Programs {
            write: &["xsel", "--clipboard", "--input"],
            read: &["xsel", "--clipboard", "--output"],
        };
        const MAC: Clipboard = Clipboard::Programs { write: &["pbcopy"], read: &["pbpaste"] };
        let set = |name: &str| desk::variable(name).is_some_and(|value| !value.is_empty());
        let mut known = Vec::new();
        if set("WAYLAND_DISPLAY") {
            known.push(WAYLAND);
        }
        if set("DISPLAY") {
            known.extend([XCLIP, XSEL]);
        }
        if std::env::consts::OS == "macos" {
            known.push(MAC);
        }
        let installed = |clipboard: &Clipboard| match clipboard {
            Clipboard::Programs { write, .. } => write.first().is_some_and(|program| is_installed(program)),
            Clipboard::Terminal => true,
        };
        let found = known.into_iter().find(installed);
        found.or_else(|| hidden::terminal().is_ok().then_some(Clipboard::Terminal))
    }

    fn put(self, value: &[u8]) -> Result<(), Failure> {
        match self {
            Clipboard::Programs { write: [program, arguments @ ..], .. } => {
                let failed = |source| Failure::Run { command: (*program).to_owned(), source };
                // What it prints is of no use, and its pipes would stay open: some stay to serve the clipboard.
                let mut command = Command::new(program);
                command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
                let mut child = command.spawn().map_err(failed)?;
                if let Some(mut pipe) = child.stdin.take() {
                    pipe.write_all(value).map_err(failed)?;
                }
                let ended = child.wait().map_err(failed)?;
                if ended.success() { Ok(()) } else { Err(Failure::Usage("the clipboard did not take it")) }
            }
            Clipboard::Programs { write: [], .. } => Err(Failure::Usage("there is no clipboard")),
            Clipboard::Terminal => {
                let failed = |source| Failure::Write { path: "/dev/tty".into(), source };
                let text = zeroize::Zeroizing::new(base64_simd::STANDARD.encode_to_string(value));
                let terminal = hidden::terminal().map_err(failed)?;
                write!(&mut &terminal, "\x1b]52;c;{}\x07", text.as_str()).map_err(failed)
            }
        }
    }

    /// Whether this is what it holds, as far as can be told.
    fn holds(self, value: &[u8]) -> bool {
        match self {
            Clipboard::Programs { read: [program, arguments @ ..], .. } => {
                let read = Command::new(program).args(arguments).stderr(Stdio::null()).output();
                read.is_ok_and(|read| zeroize::Zeroizing::new(read.stdout).as_slice() == value)
            }
            Clipboard::Programs { read: [], .. } => false,
            Clipboard::Terminal => true,
        }
    }
}

fn is_installed(program: &str) -> bool {
    let path = desk::variable("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let clipboard = Clipboard::find()
        .ok_or(Failure::Usage("there is no clipboard: install `wl-copy` or `xclip`, or use a terminal"))?;
    let value = desk.access()?.value(&args.name, None, "copying it")?;
    clipboard.put(value.as_bytes())?;
    let own =
        std::env::current_exe().map_err(|source| Failure::Run { command: "authy".to_owned(), source })?;
    let failed = |source| Failure::Run { command: "authy".to_owned(), source };
    let mut clear = Command::new(own);
    clear
        .args(["clear-clipboard", &args.clear_after.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    // In a group of its own, so that Ctrl-C in this terminal does not leave the value behind.
    sys::detach(&mut clear);
    let mut child = clear.stderr(Stdio::null()).spawn().map_err(failed)?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(value.as_bytes()).map_err(failed)?;
    }
    desk.remark(&format!("'{}' is on the clipboard for {} seconds", args.name, args.clear_after));
    Ok(())
}

pub(super) fn clear(args: &ClearArgs) -> Result<(), Failure> {
    let mut value = zeroize::Zeroizing::new(Vec::with_capacity(authy::LONGEST_VALUE + 1));
    let limit = authy::LONGEST_VALUE as u64 + 1;
    let read = std::io::stdin().lock().take(limit).read_to_end(&mut value);
    read.map_err(|source| Failure::Read { what: "stdin".to_owned(), source })?;
    std::thread::sleep(Duration::from_secs(args.seconds.min(3600)));
    match Clipboard::find().filter(|clipboard| clipboard.holds(&value)) {
        Some(clipboard) => clipboard.put(b""),
        None => Ok(()),
    }
}
