//! What the pipe alone costs: a server that understands nothing and answers `echo` all the same. No
//! server on this machine, under this load generator, can be faster.

use std::io::{self, Read, Write};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#;

pub(crate) fn run() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut buffer, mut filled, mut replies) = (vec![0; 64 * 1024], 0, Vec::new());
    loop {
        let room = buffer.get_mut(filled..).unwrap_or_default();
        let read = input.read(room)?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        let mut start = 0;
        while let Some(at) = memchr::memchr(b'\n', buffer.get(start..filled).unwrap_or_default()) {
            answer(buffer.get(start..start + at).unwrap_or_default(), &mut replies);
            start += at + 1;
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
        output.write_all(&replies)?;
        output.flush()?;
        replies.clear();
    }
}

fn answer(line: &[u8], replies: &mut Vec<u8>) {
    let id = after(line, b"\"id\":").split(|byte| *byte == b',').next().unwrap_or_default();
    let text = after(line, b"\"text\":\"").split(|byte| *byte == b'"').next().unwrap_or_default();
    replies.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    replies.extend_from_slice(id);
    replies.extend_from_slice(b",\"result\":");
    if text.is_empty() {
        replies.extend_from_slice(DISCOVERED.as_bytes());
    } else {
        replies
            .extend_from_slice(b"{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"");
        replies.extend_from_slice(text);
        replies.extend_from_slice(b"\"}]}");
    }
    replies.extend_from_slice(b"}\n");
}

fn after<'a>(line: &'a [u8], needle: &[u8]) -> &'a [u8] {
    memchr::memmem::find(line, needle).and_then(|at| line.get(at + needle.len()..)).unwrap_or_default()
}
