//! Asking for a secret at the terminal without showing it.
//!
//! The terminal gives us every key as it is pressed: a line of its own would end at 4,095 characters and cut a long token
//! silently, and Ctrl-C would end us with the echo switched off. So Ctrl-C is a key like any other here, and the terminal
//! is set back whichever way the question ends. A paste that the terminal marks as one may have several lines.

use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::failure::Failure;
use crate::sys::{Mode, Terminal, Typing};

/// Longer than any value may be, so that one that is too long is refused rather than cut.
const LONGEST: usize = authy::LONGEST_VALUE + 1;

/// Asks at the terminal of this process, wherever stdin and stdout lead.
pub(super) fn ask(prompt: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let read = |source| Failure::Read { what: "from the terminal".to_owned(), source };
    let terminal = terminal().map_err(read)?;
    let mut quiet = Quiet::new(&terminal).map_err(read)?;
    write!(quiet.terminal, "{prompt}\x1b[?2004h").map_err(read)?;
    let mut typed = Typed::default();
    let mut byte = [0];
    loop {
        if quiet.terminal.read(&mut byte).map_err(read)? == 0 {
            return Err(Failure::Interrupted);
        }
        match typed.press(byte[0]) {
            Press::More => {}
            Press::Done => return Ok(typed.text),
            Press::Interrupted => return Err(Failure::Interrupted),
        }
    }
}

/// A terminal that shows nothing of what is typed, between several questions. Nothing where nobody is at the terminal.
pub(super) fn silence() -> Option<Silence> {
    if !io::stdin().is_terminal() {
        return None;
    }
    let terminal = terminal().ok()?;
    let before = terminal.set(Typing::Lines).ok()?;
    Some(Silence { terminal, before })
}

/// See [`silence`]; the terminal is as before when this is dropped.
pub(super) struct Silence {
    terminal: Terminal,
    before: Mode,
}

impl Drop for Silence {
    fn drop(&mut self) {
        self.terminal.restore(&self.before);
    }
}

/// Asks a question that is answered by `y` or anything else.
pub(super) fn confirm(question: &str) -> Result<bool, Failure> {
    let read = |source| Failure::Read { what: "from the terminal".to_owned(), source };
    let terminal = terminal().map_err(read)?;
    let mut terminal = &terminal;
    write!(terminal, "{question} [y/N] ").map_err(read)?;
    let mut answer = [0; 64];
    let length = terminal.read(&mut answer).map_err(read)?;
    let answer = answer.get(..length).unwrap_or_default();
    Ok(matches!(answer.trim_ascii(), b"y" | b"Y" | b"yes" | b"Yes"))
}

/// Asks a question that is answered by the key `y` or any other, within some time; no answer is a no. What was typed before it
/// was asked is no answer.
pub(super) fn confirm_within(question: &str, time: Duration) -> Result<bool, Failure> {
    let read = |source| Failure::Read { what: "from the terminal".to_owned(), source };
    let terminal = terminal().map_err(read)?;
    let quiet = Quiet::new(&terminal).map_err(read)?;
    terminal.set(Typing::NewKeys).map_err(read)?;
    let mut terminal = quiet.terminal;
    write!(terminal, "{question} [y/N] ").map_err(read)?;
    let (asked, mut key) = (Instant::now(), [0]);
    while asked.elapsed() < time {
        if terminal.read(&mut key).map_err(read)? == 1 {
            return Ok(matches!(key, [b'y' | b'Y']));
        }
    }
    Ok(false)
}

/// The terminal of this process, if it has one.
pub(super) fn terminal() -> io::Result<Terminal> {
    Terminal::open()
}

/// A terminal that shows nothing of what is typed, until this is dropped.
struct Quiet<'a> {
    terminal: &'a Terminal,
    before: Mode,
}

impl<'a> Quiet<'a> {
    fn new(terminal: &'a Terminal) -> io::Result<Quiet<'a>> {
        Ok(Quiet { terminal, before: terminal.set(Typing::Keys)? })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        let _ = self.terminal.write_all(b"\x1b[?2004l\r\n");
        self.terminal.restore(&self.before);
    }
}

/// What was typed so far.
struct Typed {
    text: Zeroizing<Vec<u8>>,
    /// An escape sequence that is not complete.
    escape: Vec<u8>,
    pasting: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Press {
    More,
    Done,
    Interrupted,
}

impl Default for Typed {
    fn default() -> Typed {
        // Large enough from the start, so that no copy is left behind when it grows.
        Typed { text: Zeroizing::new(Vec::with_capacity(LONGEST)), escape: Vec::new(), pasting: false }
    }
}

impl Typed {
    fn press(&mut self, key: u8) -> Press {
        if !self.escape.is_empty() || key == 0x1b {
            self.escaped(key);
            return Press::More;
        }
        match key {
            b'\r' | b'\n' if self.pasting => self.push(b'\n'),
            0x03 => return Press::Interrupted,
            // Ctrl-D ends what there is; at the very start it means no.
            0x04 if self.text.is_empty() => return Press::Interrupted,
            b'\r' | b'\n' | 0x04 => return Press::Done,
            0x15 => self.text.clear(),
            0x08 | 0x7f => self.rub_out(),
            b'\t' | 0x20.. => self.push(key),
            _ => {}
        }
        Press::More
    }

    fn push(&mut self, byte: u8) {
        if self.text.len() < LONGEST {
            self.text.push(byte);
        }
    }

    /// Takes the last character away, all of its bytes.
    fn rub_out(&mut self) {
        while let Some(byte) = self.text.pop() {
            if byte & 0xc0 != 0x80 {
                break;
            }
        }
    }

    /// Keys such as arrows are left out; those around a paste are noted.
    fn escaped(&mut self, key: u8) {
        self.escape.push(key);
        let complete = match self.escape.as_slice() {
            [_] | [_, b'[' | b'O'] => false,
            [_, b'[', .., last] => (0x40..=0x7e).contains(last),
            _ => true,
        };
        if complete || self.escape.len() > 16 {
            match self.escape.as_slice() {
                b"\x1b[200~" => self.pasting = true,
                b"\x1b[201~" => self.pasting = false,
                _ => {}
            }
            self.escape.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Press, Typed};

    #[track_caller]
    fn check(keys: &[u8], end: &Press, text: &str) {
        let mut typed = Typed::default();
        let last = keys.iter().map(|key| typed.press(*key)).find(|press| *press != Press::More);
        assert_eq!((last.as_ref(), String::from_utf8_lossy(&typed.text).as_ref()), (Some(end), text));
    }

    #[test]
    fn a_line_ends_with_return_and_can_be_corrected() {
        check(b"hunter2\r", &Press::Done, "hunter2");
        check("wé\x7f\x7fhat\x08\x08\x08ok\n".as_bytes(), &Press::Done, "ok");
        check(b"wrong\x15right\r", &Press::Done, "right");
        check(b"a\x1b[Db\x1bOAc\x1b[1;5Cd\r", &Press::Done, "abcd");
    }

    #[test]
    fn a_marked_paste_keeps_its_lines() {
        check(b"\x1b[200~-----BEGIN\r-----END\x1b[201~\r", &Press::Done, "-----BEGIN\n-----END");
    }

    #[test]
    fn interrupting_leaves_nothing_answered() {
        check(b"abc\x03", &Press::Interrupted, "abc");
        check(b"\x04", &Press::Interrupted, "");
        check(b"abc\x04", &Press::Done, "abc");
    }

    #[test]
    fn what_is_too_long_is_bounded_and_not_cut_to_fit() {
        let mut typed = Typed::default();
        (0..LONGEST + 100).for_each(|_| assert_eq!(typed.press(b'x'), Press::More));
        assert!(authy::SecretValue::new(typed.text.as_slice()).is_err());
    }
}
