//! Where an HTTP/1.1 response ends, and what is in it.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::{Result, reply::excerpt};

/// A whole response, as places in the buffer it was read into.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: Range<usize>,
    pub(crate) body: Body,
    pub(crate) len: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Whole(Range<usize>),
    Chunks(Vec<Range<usize>>),
}

/// The response at the start of these bytes, once all of it is there.
pub(crate) fn response(bytes: &[u8]) -> Result<Option<Response>> {
    let Some(head_len) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let (head, body_at) = (0..head_len, head_len + 4);
    let fields = &bytes[head.clone()];
    let status = bytes.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    let status = status.ok_or_else(|| format!("not an HTTP response: {}", excerpt(bytes)))?;
    if let Some(length) = field(fields, "content-length") {
        let length: usize = std::str::from_utf8(length)?.parse()?;
        let len = body_at + length;
        let body = Body::Whole(body_at..len);
        return Ok((bytes.len() >= len).then_some(Response { status, head, body, len }));
    }
    if field(fields, "transfer-encoding").is_some() {
        let chunks = chunks(bytes, body_at)?;
        return Ok(chunks.map(|(chunks, len)| Response { status, head, body: Body::Chunks(chunks), len }));
    }
    // 202 needs no length when it says so by having none.
    Ok(Some(Response { status, head, body: Body::Whole(body_at..body_at), len: body_at }))
}

/// The value of a header field, by its name in lower case.
pub(crate) fn field<'h>(head: &'h [u8], name: &str) -> Option<&'h [u8]> {
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let colon = memchr(b':', line)?;
        line[..colon].eq_ignore_ascii_case(name.as_bytes()).then(|| line[colon + 1..].trim_ascii())
    })
}

/// The parts of a chunked body and where it ends, or none if it has not come to its end.
fn chunks(bytes: &[u8], mut at: usize) -> Result<Option<(Vec<Range<usize>>, usize)>> {
    let mut chunks = Vec::new();
    loop {
        let Some(line_len) = memmem::find(&bytes[at..], b"\r\n") else { return Ok(None) };
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[at..at + line_len])?, 16)
            .map_err(|error| format!("a chunk without a size: {error}"))?;
        let data = at + line_len + 2;
        let end = data + size + 2;
        if bytes.len() < end {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some((chunks, end)));
        }
        chunks.push(data..data + size);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_says_where_the_body_ends() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
        let whole = response(bytes).unwrap().unwrap();
        assert_eq!((whole.status, whole.body, whole.len), (200, Body::Whole(38..42), 42));
        assert_eq!(response(&bytes[..41]).unwrap(), None);
        assert_eq!(response(&bytes[..20]).unwrap(), None);
    }

    #[test]
    fn chunks_end_with_an_empty_one() {
        let bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let whole = response(bytes).unwrap().unwrap();
        let Body::Chunks(chunks) = whole.body else { panic!("no chunks") };
        let text: Vec<u8> = chunks.into_iter().flat_map(|chunk| bytes[chunk].to_vec()).collect();
        assert_eq!((text.as_slice(), whole.len), (&b"abcde"[..], bytes.len()));
        for len in 0..bytes.len() {
            assert_eq!(response(&bytes[..len]).unwrap(), None, "{len}");
        }
    }

    #[test]
    fn fields_are_found_in_any_case() {
        let head = b"HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nx: y";
        assert_eq!(field(head, "mcp-session-id"), Some(&b"abc"[..]));
        assert_eq!(field(head, "absent"), None);
    }
}
