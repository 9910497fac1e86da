//! How a request is answered.

use serde::{Deserialize, Serialize};

/// How a request is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Behaviour {
    /// With this text.
    Answer {
        /// The text.
        text: String,
    },
    /// With thoughts until there is no room for words.
    OnlyThoughts,
    /// With the model's own no.
    Decline,
    /// With text that stops because there is no room for more.
    CutShort {
        /// The text.
        text: String,
    },
    /// With an error, in the envelope of whoever is asked.
    Fail {
        /// The HTTP status.
        status: u16,
        /// The provider's own code.
        code: String,
        /// What it says. `{key}` stands for the key that came with the request.
        message: String,
        /// Further headers.
        #[serde(default)]
        headers: Vec<(String, String)>,
    },
    /// With an error event in the middle of a stream.
    FailInStream {
        /// What it says.
        message: String,
    },
    /// With something that is not JSON.
    Malformed,
    /// Not at all: the connection is closed.
    Drop,
    /// With the beginning of an answer; then the connection is closed.
    Truncate,
    /// With silence until the client goes away.
    Silence,
    /// With the beginning of an answer, and silence until the client goes away.
    Stall,
    /// With more than anybody wants to read.
    Endless,
    /// With a redirect.
    Redirect {
        /// Where to.
        location: String,
    },
    /// With a file, whatever was asked.
    File {
        /// Its media type.
        mime: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

impl Behaviour {
    /// A plain answer.
    pub fn answer(text: &str) -> Behaviour {
        Behaviour::Answer { text: text.to_owned() }
    }

    /// An error without further headers.
    pub fn fail(status: u16, code: &str, message: &str) -> Behaviour {
        let (code, message) = (code.to_owned(), message.to_owned());
        Behaviour::Fail { status, code, message, headers: Vec::new() }
    }
}
