//! The wire formats: one request in each provider's words, and each provider's answers in ours.

mod chat;
mod complaint;
mod generate;
mod messages;
mod ollama;
mod responses;

use std::borrow::Cow;

use fetch::Url;
use serde::de::DeserializeOwned;

use crate::answer::Draft;
use crate::events::{Event, Framing};
use crate::keys::Key;
use crate::provider::Provider;
use crate::request::Request;
use crate::settings::{Endpoint, OpenAiApi, Settings};

pub(crate) use complaint::Complaint;

/// Whether the answer comes at once or bit by bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Whole,
    Stream,
}

/// Everything a wire format needs to know.
pub(crate) struct Ask<'a> {
    pub(crate) provider: Provider,
    pub(crate) settings: &'a Settings,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) request: &'a Request,
    pub(crate) mode: Mode,
}

impl Ask<'_> {
    fn model(&self) -> &str {
        self.request.model.as_deref().unwrap_or(&self.endpoint.model)
    }

    fn max_tokens(&self) -> Option<u32> {
        self.request.max_tokens.or(self.endpoint.max_tokens)
    }

    fn streams(&self) -> bool {
        self.mode == Mode::Stream
    }
}

/// Why a piece of an answer is none.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It is not what this provider sends.
    Malformed(String),
    /// It is an error, in the middle of a stream.
    Complaint(Complaint),
}

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// OpenAI's chat completions, which z.ai and many others speak.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Messages,
    /// Gemini's content generation.
    Generate,
    /// Ollama's chat.
    Ollama,
}

impl Wire {
    pub(crate) fn of(provider: Provider, settings: &Settings) -> Wire {
        match (provider, settings.openai_api) {
            (Provider::OpenAi, OpenAiApi::Responses) => Wire::Responses,
            (Provider::OpenAi | Provider::Zai | Provider::Compatible, _) => Wire::Chat,
            (Provider::Claude, _) => Wire::Messages,
            (Provider::Gemini, _) => Wire::Generate,
            (Provider::Ollama, _) => Wire::Ollama,
        }
    }

    pub(crate) fn framing(self) -> Framing {
        match self {
            Wire::Chat | Wire::Responses | Wire::Messages | Wire::Generate => Framing::Events,
            Wire::Ollama => Framing::Lines,
        }
    }

    pub(crate) fn url(self, ask: &Ask<'_>) -> Url {
        let path = match self {
            Wire::Chat => Cow::Borrowed("chat/completions"),
            Wire::Responses => Cow::Borrowed("responses"),
            Wire::Messages => Cow::Borrowed("v1/messages"),
            Wire::Generate => Cow::Owned(generate::path(ask)),
            Wire::Ollama => Cow::Borrowed("api/chat"),
        };
        let mut url = ask.endpoint.base.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}/{path}"));
        if self == Wire::Generate && ask.streams() {
            url.set_query(Some("alt=sse"));
        }
        url
    }

    /// The headers that are not the same for everybody; the second is the one with the key.
    pub(crate) fn headers(self, key: Option<&Key>) -> Vec<(&'static str, String)> {
        let bearer = |key: &Key| ("authorization", format!("Bearer {}", key.expose()));
        let mut headers = Vec::new();
        match self {
            Wire::Chat => headers.push(("accept-language", "en-US,en".to_owned())),
            Wire::Messages => headers.push(("anthropic-version", "2023-06-01".to_owned())),
            Wire::Responses | Wire::Generate | Wire::Ollama => {}
        }
        headers.extend(key.map(|key| match self {
            Wire::Chat | Wire::Responses | Wire::Ollama => bearer(key),
            Wire::Messages => ("x-api-key", key.expose().to_owned()),
            Wire::Generate => ("x-goog-api-key", key.expose().to_owned()),
        }));
        headers
    }

    pub(crate) fn body(self, ask: &Ask<'_>) -> Result<Vec<u8>, serde_json::Error> {
        // Base64 and some words: reserved at once, so that nothing is moved while it grows.
        let mut body = Vec::with_capacity(ask.request.media_bytes() / 3 * 4 + (16 << 10));
        match self {
            Wire::Chat => serde_json::to_writer(&mut body, &chat::body(ask))?,
            Wire::Responses => serde_json::to_writer(&mut body, &responses::body(ask))?,
            Wire::Messages => serde_json::to_writer(&mut body, &messages::body(ask))?,
            Wire::Generate => serde_json::to_writer(&mut body, &generate::body(ask))?,
            Wire::Ollama => serde_json::to_writer(&mut body, &ollama::body(ask))?,
        }
        Ok(body)
    }

    /// An answer that came at once.
    pub(crate) fn whole(self, body: &[u8]) -> Result<Draft, Trouble> {
        let mut draft = Draft::default();
        match self {
            Wire::Chat => chat::whole(&mut draft, parse(body)?)?,
            Wire::Responses => responses::whole(&mut draft, parse(body)?)?,
            Wire::Messages => messages::whole(&mut draft, parse(body)?),
            Wire::Generate => generate::piece(&mut draft, parse(body)?),
            Wire::Ollama => ollama::piece(&mut draft, parse(body)?)?,
        }
        Ok(draft)
    }

    /// The next piece of an answer that comes bit by bit.
    pub(crate) fn event(self, draft: &mut Draft, event: &Event) -> Result<(), Trouble> {
        match self {
            Wire::Chat if event.data == "[DONE]" => draft.over = true,
            Wire::Chat => chat::chunk(draft, parse(event.data.as_bytes())?)?,
            Wire::Responses => responses::event(draft, parse(event.data.as_bytes())?)?,
            Wire::Messages => messages::event(draft, parse(event.data.as_bytes())?)?,
            Wire::Generate => generate::chunk(draft, parse(event.data.as_bytes())?)?,
            Wire::Ollama => ollama::piece(draft, parse(event.data.as_bytes())?)?,
        }
        Ok(())
    }
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> Result<T, Trouble> {
    serde_json::from_slice(json).map_err(|error| Trouble::Malformed(error.to_string()))
}
