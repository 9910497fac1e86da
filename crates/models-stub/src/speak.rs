//! The wire formats, from the provider's side.

mod streams;
mod wholes;

use serde_json::{Value, json};

use crate::behaviour::Behaviour;
use crate::state::Seen;

/// Which provider is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Zai,
    Chat,
    Responses,
    Messages,
    Generate,
    Ollama,
}

impl Dialect {
    /// By the path, as each provider has its own.
    pub(crate) fn of(path: &str) -> Option<Dialect> {
        let path = path.split('?').next().unwrap_or_default();
        Some(match path {
            _ if path.ends_with("/paas/v4/chat/completions") => Dialect::Zai,
            _ if path.ends_with("/chat/completions") => Dialect::Chat,
            _ if path.ends_with("/responses") => Dialect::Responses,
            _ if path.ends_with("/v1/messages") => Dialect::Messages,
            _ if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") => {
                Dialect::Generate
            }
            _ if path.ends_with("/api/chat") => Dialect::Ollama,
            _ => return None,
        })
    }

    /// Whether this request wants its answer bit by bit.
    pub(crate) fn streams(self, seen: &Seen) -> bool {
        match self {
            Dialect::Generate => seen.path.contains(":streamGenerateContent"),
            // Its default is a stream.
            Dialect::Ollama => seen.body["stream"].as_bool().unwrap_or(true),
            Dialect::Zai | Dialect::Chat | Dialect::Responses | Dialect::Messages => {
                seen.body["stream"].as_bool().unwrap_or(false)
            }
        }
    }

    pub(crate) fn stream_type(self) -> &'static str {
        match self {
            Dialect::Ollama => "application/x-ndjson",
            _ => "text/event-stream",
        }
    }

    /// An error as this provider words it.
    pub(crate) fn failure(self, status: u16, code: &str, message: &str) -> Value {
        match self {
            Dialect::Zai => json!({ "error": { "code": code, "message": message }, "request_id": "stub" }),
            Dialect::Chat | Dialect::Responses => {
                json!({ "error": { "message": message, "type": code, "param": null, "code": code } })
            }
            Dialect::Messages => {
                json!({ "type": "error", "error": { "type": code, "message": message }, "request_id": "stub" })
            }
            Dialect::Generate => json!({ "error": { "code": status, "message": message, "status": code } }),
            Dialect::Ollama => json!({ "error": message }),
        }
    }
}

/// An answer, before it is written in a dialect.
pub(crate) struct Reply {
    dialect: Dialect,
    model: String,
    text: String,
    thought: String,
    refusal: Option<String>,
    cut: bool,
    error: Option<String>,
}

impl Reply {
    pub(crate) fn new(dialect: Dialect, seen: &Seen, behaviour: &Behaviour) -> Reply {
        let model = match dialect {
            Dialect::Generate => {
                let path = seen.path.split("/models/").nth(1).unwrap_or_default();
                path.split(':').next().unwrap_or_default().to_owned()
            }
            _ => seen.body["model"].as_str().unwrap_or_default().to_owned(),
        };
        let mut reply = Reply {
            dialect,
            model,
            text: String::new(),
            thought: "Let me see.".to_owned(),
            refusal: None,
            cut: false,
            error: None,
        };
        match behaviour {
            Behaviour::Answer { text } => reply.text.clone_from(text),
            Behaviour::CutShort { text } => {
                reply.text.clone_from(text);
                reply.cut = true;
            }
            Behaviour::OnlyThoughts => reply.cut = true,
            Behaviour::Decline => reply.refusal = Some("I will not look at that.".to_owned()),
            Behaviour::FailInStream { message } => {
                "half an ans".clone_into(&mut reply.text);
                reply.error = Some(message.clone());
            }
            _ => "An answer that is long enough to be cut in the middle of it.".clone_into(&mut reply.text),
        }
        reply
    }

    /// The answer at once.
    pub(crate) fn whole(&self) -> Value {
        wholes::whole(self)
    }

    /// The answer bit by bit, each bit as it goes over the wire.
    pub(crate) fn pieces(&self) -> Vec<String> {
        streams::pieces(self)
    }

    /// The text in words, with the spaces behind them.
    fn words(&self) -> Vec<&str> {
        self.text.split_inclusive(' ').collect()
    }

    fn finish(&self) -> &'static str {
        let (stop, length, declined) = match self.dialect {
            Dialect::Zai => ("stop", "length", "sensitive"),
            Dialect::Responses => ("completed", "incomplete", "completed"),
            Dialect::Messages => ("end_turn", "max_tokens", "refusal"),
            Dialect::Generate => ("STOP", "MAX_TOKENS", "SAFETY"),
            Dialect::Chat | Dialect::Ollama => ("stop", "length", "stop"),
        };
        match (self.cut, &self.refusal) {
            (true, _) => length,
            (false, Some(_)) => declined,
            (false, None) => stop,
        }
    }
}
