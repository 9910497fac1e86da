//! OpenAI's chat completions, as OpenAI, z.ai and many others speak it.

use serde::{Deserialize, Serialize};

use super::{Ask, Complaint, Trouble};
use crate::answer::{Draft, Finish, Usage, learn};
use crate::provider::Provider;
use crate::request::{DataUrl, Part};
use crate::wire::complaint::Said;

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Kind>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
}

#[derive(Serialize)]
struct Kind {
    r#type: &'static str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    System { content: &'a str },
    User { content: Vec<Content<'a>> },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Address<'a> },
    VideoUrl { video_url: Address<'a> },
}

#[derive(Serialize)]
struct Address<'a> {
    url: DataUrl<'a>,
}

pub(super) fn body<'a>(ask: &Ask<'a>) -> Body<'a> {
    let request = ask.request;
    let content = request.parts.iter().map(|part| match part {
        Part::Text(text) => Content::Text { text },
        Part::Picture(media) => Content::ImageUrl { image_url: Address { url: DataUrl(media) } },
        Part::Video(media) => Content::VideoUrl { video_url: Address { url: DataUrl(media) } },
    });
    let mut messages = Vec::with_capacity(2);
    messages.extend(request.system.as_deref().map(|content| Message::System { content }));
    messages.push(Message::User { content: content.collect() });
    let zai = ask.provider == Provider::Zai;
    // OpenAI's newer models take no `max_tokens`, and most others take nothing else.
    let openai = ask.provider == Provider::OpenAi;
    Body {
        model: request.model.as_deref().unwrap_or(&ask.endpoint.model),
        messages,
        thinking: zai.then_some(Kind { r#type: "enabled" }),
        stream: ask.streams(),
        stream_options: (ask.streams() && !zai).then_some(StreamOptions { include_usage: true }),
        temperature: zai.then_some(ask.settings.sampling.temperature),
        top_p: zai.then_some(ask.settings.sampling.top_p),
        max_tokens: ask.max_tokens().filter(|_| !openai),
        max_completion_tokens: ask.max_tokens().filter(|_| openai),
    }
}

/// An answer or a piece of one: the same but for the names of two fields.
#[derive(Deserialize)]
pub(super) struct Answer {
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Spent>,
    error: Option<Said>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Words>,
    delta: Option<Words>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Words {
    content: Option<String>,
    reasoning_content: Option<String>,
    /// The same in other programs with this interface.
    reasoning: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Spent {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    completion_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
}

pub(super) fn whole(draft: &mut Draft, answer: Answer) -> Result<(), Trouble> {
    if answer.choices.is_empty() && answer.error.is_none() {
        return Err(Trouble::Malformed("it has no `choices`".to_owned()));
    }
    chunk(draft, answer)
}

pub(super) fn chunk(draft: &mut Draft, answer: Answer) -> Result<(), Trouble> {
    if let Some(error) = answer.error {
        return Err(Trouble::Complaint(Complaint::from(error)));
    }
    learn(&mut draft.model, answer.model);
    if let Some(tokens) = answer.usage {
        draft.usage = Usage {
            input: tokens.prompt_tokens,
            output: tokens.completion_tokens,
            reasoning: tokens.completion_tokens_details.and_then(|details| details.reasoning_tokens),
            cached: tokens.prompt_tokens_details.and_then(|details| details.cached_tokens),
        };
    }
    let Some(choice) = answer.choices.into_iter().next() else { return Ok(()) };
    if let Some(words) = choice.message.or(choice.delta) {
        draft.text.push_str(words.content.as_deref().unwrap_or_default());
        draft.think(words.reasoning_content.or(words.reasoning).as_deref());
        if let Some(refusal) = words.refusal {
            draft.refusal.get_or_insert_default().push_str(&refusal);
        }
    }
    learn(&mut draft.finish, choice.finish_reason.map(finish));
    Ok(())
}

fn finish(word: String) -> Finish {
    match word.as_str() {
        "stop" => Finish::Stop,
        "length" | "model_context_window_exceeded" => Finish::Length,
        "content_filter" | "sensitive" => Finish::Filtered,
        _ => Finish::Other(word),
    }
}
