//! The bytes that are sent: made once, then only the number in them changes.

use memchr::memmem;

/// The revision spoken: 2026-07-28 (each request says who is asking) or 2025-11-25 (a handshake does).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Legacy,
}

impl Era {
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy => "2025-11-25",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Discover,
    Initialize,
    ListTools,
    Echo,
    Image,
    Sleep { ms: u32 },
}

/// Ids have ten digits throughout, so every request of a kind has the same length.
pub(crate) const FIRST_ID: u64 = 1_000_000_000;
pub(crate) const ID_DIGITS: usize = 10;
/// What the echo tool is asked to say, before the id; thus no two replies are alike.
pub(crate) const ECHO_TEXT: &str = "there and back again, number ";

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

const CLIENT: &str = r#"{"name":"load","version":"0.1.0"}"#;

impl Call {
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Discover => "server/discover",
            Self::Initialize => "initialize",
            Self::ListTools => "tools/list",
            Self::Echo | Self::Image | Self::Sleep { .. } => "tools/call",
        }
    }

    pub(crate) fn tool(self) -> Option<&'static str> {
        match self {
            Self::Discover | Self::Initialize | Self::ListTools => None,
            Self::Echo => Some("echo"),
            Self::Image => Some("image"),
            Self::Sleep { .. } => Some("sleep"),
        }
    }

    pub(crate) fn json(self, era: Era) -> String {
        let mut members = Vec::new();
        if let Some(tool) = self.tool() {
            members.push(format!(r#""name":"{tool}","arguments":{}"#, self.arguments()));
        }
        let version = era.version();
        if self == Self::Initialize {
            members
                .push(format!(r#""protocolVersion":"{version}","capabilities":{{}},"clientInfo":{CLIENT}"#));
        } else if era == Era::Modern {
            members.push(format!(
                r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientInfo":{CLIENT},"io.modelcontextprotocol/clientCapabilities":{{}}}}"#
            ));
        }
        let (method, params) = (self.method(), members.join(","));
        format!(r#"{{"jsonrpc":"2.0","id":{FIRST_ID},"method":"{method}","params":{{{params}}}}}"#)
    }

    fn arguments(self) -> String {
        match self {
            Self::Echo => format!(r#"{{"text":"{ECHO_TEXT}{FIRST_ID}"}}"#),
            Self::Sleep { ms } => format!(r#"{{"ms":{ms}}}"#),
            Self::Discover | Self::Initialize | Self::ListTools | Self::Image => "{}".to_owned(),
        }
    }
}

/// A request on the wire, framing included, with the places its id stands at.
#[derive(Clone)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    id_places: Vec<usize>,
}

impl Template {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let id_places = memmem::find_iter(&bytes, FIRST_ID.to_string().as_bytes()).collect();
        Self { bytes, id_places }
    }

    pub(crate) fn line(call: Call, era: Era) -> Self {
        Self::new((call.json(era) + "\n").into_bytes())
    }

    /// The request with this id.
    pub(crate) fn stamp(&mut self, id: u64) -> &[u8] {
        let digits = digits(id);
        for &place in &self.id_places {
            self.bytes[place..place + ID_DIGITS].copy_from_slice(&digits);
        }
        &self.bytes
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a remainder by ten is a digit")]
fn digits(mut id: u64) -> [u8; ID_DIGITS] {
    let mut digits = [b'0'; ID_DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit += (id % 10) as u8;
        id /= 10;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_changes_the_id_and_the_echoed_text_only() {
        let mut template = Template::line(Call::Echo, Era::Legacy);
        let stamped = String::from_utf8(template.stamp(1_000_000_042).to_vec()).unwrap();
        assert_eq!(
            stamped,
            concat!(
                r#"{"jsonrpc":"2.0","id":1000000042,"method":"tools/call","params":{"name":"echo","#,
                r#""arguments":{"text":"there and back again, number 1000000042"}}}"#,
                "\n"
            )
        );
    }
}
