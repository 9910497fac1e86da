//! Whether a reply is the right one, by looking for what must be in it: parsing JSON would cost more than
//! some servers do. Works on a line of stdio, a JSON body and an SSE body alike, as long as the JSON is compact.

use memchr::memmem::Finder;

use crate::{
    Result,
    request::{Call, ECHO_TEXT, ID_DIGITS},
};

/// One million bytes in base64.
const IMAGE_BASE64_LEN: usize = 1_333_336;

pub(crate) struct Checker {
    call: Call,
    id: Finder<'static>,
    content: Vec<Finder<'static>>,
    tool_error: Finder<'static>,
}

impl Checker {
    pub(crate) fn new(call: Call) -> Self {
        let content: &[&str] = match call {
            Call::Discover => &[r#""supportedVersions":["#, r#""2026-07-28""#],
            Call::Initialize => &[r#""protocolVersion":"2025-11-25""#],
            Call::ListTools => &[r#""name":"echo""#, r#""name":"image""#, r#""name":"sleep""#],
            Call::Echo => &[r#""text":""#],
            Call::Image => &[r#""data":""#],
            Call::Sleep { .. } => &[r#""text":"slept""#],
        };
        Self {
            call,
            id: Finder::new(r#""id":"#),
            content: content.iter().map(|needle| Finder::new(*needle)).collect(),
            tool_error: Finder::new(r#""isError":true"#),
        }
    }

    /// The id of a good reply.
    #[inline]
    pub(crate) fn id_of(&self, reply: &[u8]) -> Result<u64> {
        match self.inspect(reply) {
            Ok(id) => Ok(id),
            Err(what) => Err(format!("{} answered {what}: {}", self.call.method(), excerpt(reply)).into()),
        }
    }

    /// That a reply is good and the one to this id.
    #[inline]
    pub(crate) fn expect(&self, reply: &[u8], id: u64) -> Result<()> {
        match self.id_of(reply)? {
            got if got == id => Ok(()),
            got => Err(format!("request {id} was answered with id {got}: {}", excerpt(reply)).into()),
        }
    }

    fn inspect(&self, reply: &[u8]) -> Result<u64, &'static str> {
        let id_at = self.id.find(reply).ok_or("without an id")? + self.id.needle().len();
        let id_digits = reply.get(id_at..id_at + ID_DIGITS).ok_or("with a short id")?;
        let mut after_content = 0;
        for needle in &self.content {
            let at = needle.find(reply).ok_or("without the expected content")?;
            after_content = at + needle.needle().len();
        }
        let content = &reply[after_content..];
        match self.call {
            Call::Echo => {
                let said = content.strip_prefix(ECHO_TEXT.as_bytes()).ok_or("with another text")?;
                if !said.starts_with(id_digits) || said.get(ID_DIGITS) != Some(&b'"') {
                    return Err("with the text of another request");
                }
            }
            Call::Image => {
                if content.get(IMAGE_BASE64_LEN) != Some(&b'"') || content[..64].contains(&b'"') {
                    return Err("with data of another length");
                }
            }
            Call::Discover | Call::Initialize | Call::ListTools | Call::Sleep { .. } => {}
        }
        // A picture of a megabyte is past doubt, and too long to search.
        if self.call != Call::Image && self.tool_error.find(reply).is_some() {
            return Err("with a tool error");
        }
        number(id_digits).ok_or("with an id of another kind")
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0')))
}

pub(crate) fn excerpt(reply: &[u8]) -> String {
    let shown = &reply[..reply.len().min(400)];
    let more = if shown.len() < reply.len() { "…" } else { "" };
    format!("{}{more}", String::from_utf8_lossy(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"jsonrpc":"2.0","id":1000000007,"result":{"content":[{"type":"text","text":"there and back again, number 1000000007"}]}}"#;

    #[test]
    fn the_echo_of_the_same_request_is_good() {
        assert_eq!(Checker::new(Call::Echo).id_of(GOOD.as_bytes()).unwrap(), 1_000_000_007);
    }

    #[test]
    fn errors_and_foreign_texts_are_not() {
        let checker = Checker::new(Call::Echo);
        for bad in [
            r#"{"jsonrpc":"2.0","id":1000000007,"error":{"code":-32603,"message":"no"}}"#.to_owned(),
            GOOD.replace("number 1000000007", "number 1000000008"),
            GOOD.replace("]}}", r#"],"isError":true}}"#),
            GOOD.replace("\"id\":1000000007,", ""),
        ] {
            assert!(checker.id_of(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(checker.expect(GOOD.as_bytes(), 1_000_000_008).is_err());
    }

    #[test]
    fn a_picture_must_have_its_length() {
        let checker = Checker::new(Call::Image);
        for (len, good) in
            [(IMAGE_BASE64_LEN, true), (IMAGE_BASE64_LEN - 4, false), (IMAGE_BASE64_LEN + 4, false)]
        {
            let reply = format!(
                r#"{{"id":1000000000,"result":{{"content":[{{"type":"image","data":"{}","mimeType":"image/png"}}]}}}}"#,
                "A".repeat(len)
            );
            assert_eq!(checker.id_of(reply.as_bytes()).is_ok(), good, "{len}");
        }
    }
}
