//! What handlers answer with: content blocks, resource contents, prompt messages, completions.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::fail::Fail;
use crate::schema;

/// One block of a tool result or a prompt message.
#[doc(alias(
    "ContentBlock",
    "TextContent",
    "ImageContent",
    "AudioContent",
    "EmbeddedResource",
    "ResourceLink"
))]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Content {
    /// Text for the model.
    Text(String),
    /// The same, where somebody else keeps the text too: it goes from there straight into the outgoing message.
    SharedText(Arc<String>),
    /// A picture; encoded once, straight into the outgoing message.
    Image {
        /// The file's bytes.
        bytes: Bytes,
        /// Its media type, e.g. `image/png`.
        mime: Cow<'static, str>,
    },
    /// Sound.
    Audio {
        /// The file's bytes.
        bytes: Bytes,
        /// Its media type, e.g. `audio/wav`.
        mime: Cow<'static, str>,
    },
    /// A resource, inside the answer.
    Resource(Item),
    /// Where a resource can be read.
    Link {
        /// The address to read.
        uri: String,
        /// A short name.
        name: String,
        /// Its media type, where known.
        mime: Option<String>,
    },
    /// The structured content of the same reply, as text.
    Structured,
}

impl Content {
    /// A PNG picture.
    pub fn png(bytes: impl Into<Bytes>) -> Content {
        Content::image(bytes, "image/png")
    }

    /// A picture of any format.
    pub fn image(bytes: impl Into<Bytes>, mime: impl Into<Cow<'static, str>>) -> Content {
        Content::Image { bytes: bytes.into(), mime: mime.into() }
    }

    /// Sound of any format.
    pub fn audio(bytes: impl Into<Bytes>, mime: impl Into<Cow<'static, str>>) -> Content {
        Content::Audio { bytes: bytes.into(), mime: mime.into() }
    }
}

/// The contents of one resource.
#[doc(alias("ResourceContents", "ReadResourceResult"))]
#[derive(Debug, Clone)]
pub struct Item {
    /// Its address.
    pub uri: String,
    /// Its media type, where known.
    pub mime: Option<String>,
    /// What is in it.
    pub body: ItemBody,
    /// Passed through as `_meta`.
    pub meta: Option<Box<RawValue>>,
}

/// Text or bytes.
#[doc(alias("TextResourceContents", "BlobResourceContents"))]
#[derive(Debug, Clone)]
pub enum ItemBody {
    /// Text as it is.
    Text(String),
    /// Anything else.
    Blob(Bytes),
}

impl Item {
    /// A text resource.
    pub fn text(uri: impl Into<String>, mime: &str, text: impl Into<String>) -> Item {
        Item { uri: uri.into(), mime: Some(mime.into()), body: ItemBody::Text(text.into()), meta: None }
    }

    /// A binary resource.
    pub fn blob(uri: impl Into<String>, mime: &str, bytes: impl Into<Bytes>) -> Item {
        Item { uri: uri.into(), mime: Some(mime.into()), body: ItemBody::Blob(bytes.into()), meta: None }
    }
}

/// The answer to a tool call.
#[doc(alias = "CallToolResult")]
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub(crate) content: Vec<Content>,
    /// JSON.
    pub(crate) structured: Option<String>,
    pub(crate) is_error: bool,
    pub(crate) meta: Option<Box<RawValue>>,
}

impl Reply {
    /// What is in it.
    pub fn content(&self) -> &[Content] {
        &self.content
    }

    /// Whether it says that the tool failed.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// A reply of one text block.
    pub fn text(text: impl Into<String>) -> Reply {
        Reply { content: vec![Content::Text(text.into())], ..Reply::default() }
    }

    /// A reply of one text block that somebody else keeps too.
    pub fn shared_text(text: Arc<String>) -> Reply {
        Reply { content: vec![Content::SharedText(text)], ..Reply::default() }
    }

    /// A reply of one text block that the client shows as a failure.
    pub fn error(text: impl Into<String>) -> Reply {
        Reply { is_error: true, ..Reply::text(text) }
    }

    /// Structured content, with the same JSON as text for clients that read only that.
    pub fn json(value: &impl Serialize) -> Result<Reply, Fail> {
        let structured = Some(written(value)?);
        Ok(Reply { content: vec![Content::Structured], structured, ..Reply::default() })
    }

    /// Structured content, with words of its own for clients that read only text. They must say as much.
    pub fn structured(value: &impl Serialize, text: impl Into<String>) -> Result<Reply, Fail> {
        Ok(Reply { content: vec![Content::Text(text.into())], ..Reply::json(value)? })
    }

    /// Adds a block.
    pub fn with(mut self, content: Content) -> Reply {
        self.content.push(content);
        self
    }

    /// Passed through as `_meta` of the result.
    pub fn with_meta(mut self, meta: &impl Serialize) -> Reply {
        self.meta = serde_json::value::to_raw_value(meta).ok();
        self
    }
}

/// Memory for most answers, so that they are not moved while they grow.
const USUAL: usize = 4096;

fn written(value: &impl Serialize) -> Result<String, Fail> {
    let unwritable =
        |error: &dyn std::error::Error| Fail::new(format!("The answer cannot be written as JSON: {error}"));
    let mut json = Vec::with_capacity(USUAL);
    serde_json::to_writer(&mut json, value).map_err(|error| unwritable(&error))?;
    String::from_utf8(json).map_err(|error| unwritable(&error))
}

/// What a tool may answer with.
pub trait Output: Send {
    /// The reply to send.
    fn into_reply(self) -> Result<Reply, Fail>;

    /// The schema of its structured content, where it always has some.
    fn schema() -> Option<Value> {
        None
    }
}

impl Output for Reply {
    fn into_reply(self) -> Result<Reply, Fail> {
        Ok(self)
    }
}

impl Output for String {
    fn into_reply(self) -> Result<Reply, Fail> {
        Ok(Reply::text(self))
    }
}

/// An answer of a known shape: structured content, its schema in the tool list, and the same as text.
#[doc(alias = "structuredContent")]
#[derive(Debug, Clone)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema + Send> Output for Json<T> {
    fn into_reply(self) -> Result<Reply, Fail> {
        Reply::json(&self.0)
    }

    fn schema() -> Option<Value> {
        Some(schema::of::<T>())
    }
}

/// Who says a prompt message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// The answer to `prompts/get`.
#[doc(alias("GetPromptResult", "PromptMessage"))]
#[derive(Debug, Clone, Default)]
pub struct Messages {
    pub(crate) description: Option<String>,
    pub(crate) messages: Vec<(Role, Content)>,
}

impl Messages {
    /// One message from the person.
    pub fn user(content: Content) -> Messages {
        Messages { description: None, messages: vec![(Role::User, content)] }
    }

    /// Adds a message.
    pub fn and(mut self, role: Role, content: Content) -> Messages {
        self.messages.push((role, content));
        self
    }

    /// What this prompt is about.
    pub fn described(mut self, description: impl Into<String>) -> Messages {
        self.description = Some(description.into());
        self
    }
}

/// The answer to `completion/complete`.
#[doc(alias = "CompleteResult")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    pub(crate) values: Vec<String>,
    pub(crate) total: usize,
}

impl Completion {
    /// What the protocol lets one answer carry.
    const MOST: usize = 100;

    /// Suggestions, best first. More than a hundred are cut, and the client is told how many there were.
    pub fn new(values: impl IntoIterator<Item = String>) -> Completion {
        let mut values: Vec<String> = values.into_iter().collect();
        let total = values.len();
        values.truncate(Completion::MOST);
        Completion { values, total }
    }
}
