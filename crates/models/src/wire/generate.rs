//! Gemini's content generation.

use serde::{Deserialize, Serialize};

use super::complaint::Said;
use super::{Ask, Complaint, Trouble};
use crate::answer::{Draft, Finish, Usage, learn};
use crate::request::{Base64, Part};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Words<'a>>,
    contents: [Turn<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Config>,
}

#[derive(Serialize)]
struct Words<'a> {
    parts: [Piece<'a>; 1],
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    parts: Vec<Piece<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Piece<'a> {
    Text(&'a str),
    InlineData(Inline<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Inline<'a> {
    mime_type: &'static str,
    data: Base64<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    max_output_tokens: u32,
}

pub(super) fn path(ask: &Ask<'_>) -> String {
    let call = if ask.streams() { "streamGenerateContent" } else { "generateContent" };
    // A model is one segment of the path, whatever a caller names it.
    let model: String = ask
        .model()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || "-._".contains(*letter))
        .collect();
    format!("v1beta/models/{model}:{call}")
}

pub(super) fn body<'a>(ask: &Ask<'a>) -> Body<'a> {
    let parts = ask.request.parts.iter().map(|part| match part {
        Part::Text(text) => Piece::Text(text),
        Part::Picture(media) | Part::Video(media) => {
            Piece::InlineData(Inline { mime_type: media.mime, data: Base64(media) })
        }
    });
    Body {
        system_instruction: ask.request.system.as_deref().map(|text| Words { parts: [Piece::Text(text)] }),
        contents: [Turn { role: "user", parts: parts.collect() }],
        generation_config: ask.max_tokens().map(|max_output_tokens| Config { max_output_tokens }),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Spent>,
    model_version: Option<String>,
    error: Option<Said>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Spoken>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Spoken {
    #[serde(default)]
    parts: Vec<Bit>,
}

#[derive(Deserialize)]
struct Bit {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
struct Spent {
    #[serde(rename = "promptTokenCount")]
    prompt: Option<u64>,
    #[serde(rename = "candidatesTokenCount")]
    candidates: Option<u64>,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: Option<u64>,
    #[serde(rename = "cachedContentTokenCount")]
    cached: Option<u64>,
}

pub(super) fn chunk(draft: &mut Draft, answer: Answer) -> Result<(), Trouble> {
    if let Some(error) = answer.error {
        return Err(Trouble::Complaint(Complaint::from(error)));
    }
    piece(draft, answer);
    // Nothing says that a stream is over but the reason why the answer is.
    draft.over |= draft.finish.is_some();
    Ok(())
}

pub(super) fn piece(draft: &mut Draft, answer: Answer) {
    learn(&mut draft.model, answer.model_version);
    if let Some(tokens) = answer.usage_metadata {
        draft.usage = Usage {
            input: tokens.prompt,
            output: tokens.candidates,
            reasoning: tokens.thoughts,
            cached: tokens.cached,
        };
    }
    if let Some(reason) = answer.prompt_feedback.and_then(|feedback| feedback.block_reason) {
        draft.refusal = Some(format!("the request was blocked as {reason}"));
        draft.finish = Some(Finish::Filtered);
    }
    let Some(candidate) = answer.candidates.into_iter().next() else { return };
    for bit in candidate.content.into_iter().flat_map(|spoken| spoken.parts) {
        if bit.thought {
            draft.think(bit.text.as_deref());
        } else {
            draft.text.push_str(bit.text.as_deref().unwrap_or_default());
        }
    }
    learn(&mut draft.finish, candidate.finish_reason.map(finish));
}

fn finish(word: String) -> Finish {
    match word.as_str() {
        "STOP" => Finish::Stop,
        "MAX_TOKENS" => Finish::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            Finish::Filtered
        }
        _ => Finish::Other(word),
    }
}
