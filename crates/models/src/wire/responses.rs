//! OpenAI's responses.

use serde::{Deserialize, Serialize};

use super::complaint::Said;
use super::{Ask, Complaint, Trouble};
use crate::answer::{Draft, Finish, Usage, learn};
use crate::request::{DataUrl, Part};

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: [Message<'a>; 1],
    stream: bool,
    /// Pictures of one's own machine are not kept elsewhere.
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    InputText { text: &'a str },
    InputImage { image_url: DataUrl<'a>, detail: &'static str },
}

pub(super) fn body<'a>(ask: &Ask<'a>) -> Body<'a> {
    let content = ask.request.parts.iter().map(|part| match part {
        Part::Text(text) => Content::InputText { text },
        Part::Picture(media) | Part::Video(media) => {
            Content::InputImage { image_url: DataUrl(media), detail: "auto" }
        }
    });
    Body {
        model: ask.request.model.as_deref().unwrap_or(&ask.endpoint.model),
        instructions: ask.request.system.as_deref(),
        input: [Message { role: "user", content: content.collect() }],
        stream: ask.streams(),
        store: false,
        max_output_tokens: ask.max_tokens(),
    }
}

#[derive(Deserialize)]
pub(super) struct Answer {
    model: Option<String>,
    status: Option<String>,
    #[serde(default)]
    output: Vec<Item>,
    usage: Option<Spent>,
    error: Option<Said>,
    incomplete_details: Option<Incomplete>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    content: Option<Vec<Words>>,
}

#[derive(Deserialize)]
struct Words {
    r#type: String,
    text: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Spent {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<Details>,
    output_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
}

pub(super) fn whole(draft: &mut Draft, answer: Answer) -> Result<(), Trouble> {
    if let Some(error) = answer.error {
        return Err(Trouble::Complaint(Complaint::from(error)));
    }
    if answer.status.is_none() && answer.output.is_empty() {
        return Err(Trouble::Malformed("it has no `output`".to_owned()));
    }
    for words in answer.output.into_iter().filter_map(|item| item.content).flatten() {
        match words.r#type.as_str() {
            "output_text" => draft.text.push_str(words.text.as_deref().unwrap_or_default()),
            "refusal" => draft.refusal = words.refusal,
            "reasoning_text" => draft.think(words.text.as_deref()),
            _ => {}
        }
    }
    learn(&mut draft.model, answer.model);
    if let Some(tokens) = answer.usage {
        draft.usage = Usage {
            input: tokens.input_tokens,
            output: tokens.output_tokens,
            reasoning: tokens.output_tokens_details.and_then(|details| details.reasoning_tokens),
            cached: tokens.input_tokens_details.and_then(|details| details.cached_tokens),
        };
    }
    let reason = answer.incomplete_details.and_then(|details| details.reason);
    let finish = match (answer.status.as_deref(), reason.as_deref()) {
        (Some("completed"), _) => Finish::Stop,
        (_, Some("max_output_tokens")) => Finish::Length,
        (_, Some("content_filter")) => Finish::Filtered,
        (status, reason) => Finish::Other(reason.or(status).unwrap_or("unknown").to_owned()),
    };
    draft.finish = Some(finish);
    Ok(())
}

#[derive(Deserialize)]
pub(super) struct Event {
    r#type: String,
    delta: Option<String>,
    response: Option<Answer>,
    /// An event of the type `error` is the error itself.
    code: Option<String>,
    message: Option<String>,
}

pub(super) fn event(draft: &mut Draft, event: Event) -> Result<(), Trouble> {
    match event.r#type.as_str() {
        "response.output_text.delta" => draft.text.push_str(event.delta.as_deref().unwrap_or_default()),
        "response.refusal.delta" => {
            draft.refusal.get_or_insert_default().push_str(event.delta.as_deref().unwrap_or_default());
        }
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            draft.think(event.delta.as_deref());
        }
        "response.completed" | "response.failed" | "response.incomplete" => {
            if let Some(answer) = event.response {
                // The last event has the whole text again.
                draft.text.clear();
                draft.refusal = None;
                whole(draft, answer)?;
            }
            draft.over = true;
        }
        "error" => {
            let message = event.message.unwrap_or_default();
            return Err(Trouble::Complaint(Complaint { code: event.code.unwrap_or_default(), message }));
        }
        _ => {}
    }
    Ok(())
}
