//! The only place that prints. While MCP is served on stdio nothing does: there stdout belongs to the protocol.
//!
//! Not by macro: `println!` panics when nobody reads, as in `deskmate tools | head`.

use std::io::{self, Write};

/// Writes an answer to stdout, and ends it with a newline.
pub fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        // Whoever read has enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Writes a message to stderr. If even that fails, there is nobody left to tell.
pub fn complain(text: &str) {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(io::stderr().lock(), "{text}{end}");
}

/// Draws a line over the last one on stderr, which must be a terminal. An empty one takes it away.
pub fn draw(line: &str) {
    let mut out = io::stderr().lock();
    let _ = write!(out, "\r\u{1b}[K{line}").and_then(|()| out.flush());
}
