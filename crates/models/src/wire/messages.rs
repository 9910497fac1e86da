//! Anthropic's messages.

use serde::{Deserialize, Serialize};

use super::complaint::Said;
use super::{Ask, Complaint, Trouble};
use crate::answer::{Draft, Finish, learn};
use crate::request::{Base64, Part};

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'a str>,
    messages: [Message<'a>; 1],
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text { text: &'a str },
    Image { source: Source<'a> },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'static str,
    data: Base64<'a>,
}

/// Required on the wire, so there is a number even where nobody set one.
const USUAL_TOKENS: u32 = 8192;

pub(super) fn body<'a>(ask: &Ask<'a>) -> Body<'a> {
    let content = ask.request.parts.iter().map(|part| match part {
        Part::Text(text) => Content::Text { text },
        Part::Picture(media) | Part::Video(media) => Content::Image {
            source: Source { r#type: "base64", media_type: media.mime, data: Base64(media) },
        },
    });
    Body {
        model: ask.request.model.as_deref().unwrap_or(&ask.endpoint.model),
        max_tokens: ask.max_tokens().unwrap_or(USUAL_TOKENS),
        system: ask.request.system.as_deref(),
        messages: [Message { role: "user", content: content.collect() }],
        stream: ask.streams(),
    }
}

#[derive(Deserialize)]
pub(super) struct Answer {
    model: Option<String>,
    content: Vec<Words>,
    stop_reason: Option<String>,
    usage: Option<Spent>,
}

#[derive(Deserialize)]
pub(super) struct Words {
    text: Option<String>,
    thinking: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Spent {
    #[serde(rename = "input_tokens")]
    input: Option<u64>,
    #[serde(rename = "output_tokens")]
    output: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    cached: Option<u64>,
}

pub(super) fn whole(draft: &mut Draft, answer: Answer) {
    for words in answer.content {
        say(draft, &words);
    }
    learn(&mut draft.model, answer.model);
    count(draft, answer.usage);
    learn(&mut draft.finish, answer.stop_reason.map(finish));
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        message: Answer,
    },
    ContentBlockStart {
        content_block: Words,
    },
    ContentBlockDelta {
        delta: Words,
    },
    MessageDelta {
        delta: Ending,
        usage: Option<Spent>,
    },
    MessageStop,
    Error {
        error: Said,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(super) struct Ending {
    stop_reason: Option<String>,
}

pub(super) fn event(draft: &mut Draft, event: Event) -> Result<(), Trouble> {
    match event {
        Event::MessageStart { message } => whole(draft, message),
        Event::ContentBlockStart { content_block: words } | Event::ContentBlockDelta { delta: words } => {
            say(draft, &words);
        }
        Event::MessageDelta { delta, usage } => {
            learn(&mut draft.finish, delta.stop_reason.map(finish));
            count(draft, usage);
        }
        Event::MessageStop => draft.over = true,
        Event::Error { error } => return Err(Trouble::Complaint(Complaint::from(error))),
        Event::Other => {}
    }
    Ok(())
}

fn say(draft: &mut Draft, words: &Words) {
    draft.text.push_str(words.text.as_deref().unwrap_or_default());
    draft.think(words.thinking.as_deref());
}

fn count(draft: &mut Draft, tokens: Option<Spent>) {
    let Some(tokens) = tokens else { return };
    learn(&mut draft.usage.input, tokens.input);
    learn(&mut draft.usage.output, tokens.output);
    learn(&mut draft.usage.cached, tokens.cached);
}

fn finish(word: String) -> Finish {
    match word.as_str() {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Filtered,
        _ => Finish::Other(word),
    }
}
