//! What a call tells: the answer, and how it came about.

use std::fmt;

use models::{Answer, Finish, Usage};
use picture::{Facts, Kind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The answer, and how it came about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Report {
    /// What was seen, in words.
    pub text: String,
    /// Who looked: `zai`, `openai`, `claude`, `gemini`, `ollama`, `compatible`, or `local` if no model did.
    pub provider: String,
    /// The model, as its provider names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens, as far as the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Tokens>,
    /// Why the answer ended: `stop`, `length` if it was cut off, or the provider's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// True if no model looked and only pixels were measured and text was read.
    pub limited: bool,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// How often the provider was asked.
    pub attempts: u32,
    /// The pictures, in the order they were shown.
    pub images: Vec<Seen>,
    /// What was measured or read, where no model looked; the answer as data, where `output_schema` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Tokens, as far as the provider tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Tokens {
    /// Read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Thought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// Read before and remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

/// A size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Size {
    /// The width.
    pub width: u32,
    /// The height.
    pub height: u32,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {}", self.width, self.height)
    }
}

/// A picture that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Seen {
    /// What the caller named.
    pub source: String,
    /// Its format, by its bytes.
    pub format: String,
    /// Its size, upright.
    pub original: Size,
    /// Its bytes.
    pub original_bytes: usize,
    /// The size that was sent; coordinates in the answer are in this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<Size>,
    /// The format that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_format: Option<String>,
    /// The bytes that were sent, before base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_bytes: Option<usize>,
    /// What was done to it.
    pub transformations: Vec<String>,
}

/// Which page of a PDF a picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub(crate) number: u32,
    pub(crate) pages: usize,
    pub(crate) file_bytes: usize,
}

impl Seen {
    pub(crate) fn new(source: &str, facts: &Facts, bytes: usize) -> Seen {
        Seen {
            source: source.trim_matches('`').to_owned(),
            format: facts.kind.name().to_owned(),
            original: Size { width: facts.width, height: facts.height },
            original_bytes: bytes,
            sent: None,
            sent_format: None,
            sent_bytes: None,
            transformations: Vec::new(),
        }
    }

    pub(crate) fn done(&mut self, what: &str) {
        self.transformations.push(what.to_owned());
    }

    /// Says what the picture was drawn from, if it was: the caller named a PDF, not a PNG.
    pub(crate) fn drawn_from(&mut self, page: Option<Drawn>) {
        let Some(Drawn { number, pages, file_bytes }) = page else { return };
        "PDF".clone_into(&mut self.format);
        self.original_bytes = file_bytes;
        self.transformations.insert(0, format!("page {number} of {pages} drawn"));
    }

    pub(crate) fn sent(&mut self, kind: Kind, size: Size, bytes: usize) {
        self.sent = Some(size);
        self.sent_format = Some(kind.name().to_owned());
        self.sent_bytes = Some(bytes);
    }
}

impl Report {
    /// The answer of a model.
    pub(crate) fn answered(provider: models::Provider, answer: Answer, images: Vec<Seen>) -> Report {
        let Usage { input, output, reasoning, cached } = answer.usage;
        let mut text = answer.text;
        if answer.finish == Finish::Length {
            text.push_str("\n\n(The answer was cut off: the model's tokens ran out. Ask for less at once.)");
        }
        Report {
            text,
            provider: provider.id().to_owned(),
            model: Some(answer.model),
            usage: Some(Tokens { input, output, reasoning, cached }),
            finish_reason: Some(answer.finish.as_str().to_owned()),
            limited: false,
            elapsed_ms: 0,
            attempts: answer.attempts,
            images,
            data: None,
        }
    }

    /// A reading without a model.
    pub(crate) fn local(text: String, data: Value, images: Vec<Seen>) -> Report {
        Report {
            text,
            provider: "local".to_owned(),
            model: None,
            usage: None,
            finish_reason: None,
            limited: true,
            elapsed_ms: 0,
            attempts: 0,
            images,
            data: Some(data),
        }
    }
}
