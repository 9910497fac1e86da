//! Ollama's chat.

use serde::{Deserialize, Serialize};

use super::{Ask, Complaint, Trouble};
use crate::answer::{Draft, Finish, learn};
use crate::request::{Base64, Part};

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Options>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<Base64<'a>>,
}

#[derive(Serialize)]
struct Options {
    num_predict: u32,
}

pub(super) fn body<'a>(ask: &Ask<'a>) -> Body<'a> {
    let mut user = Message { role: "user", content: String::new(), images: Vec::new() };
    for part in &ask.request.parts {
        match part {
            Part::Text(text) => {
                if !user.content.is_empty() {
                    user.content.push_str("\n\n");
                }
                user.content.push_str(text);
            }
            Part::Picture(media) | Part::Video(media) => user.images.push(Base64(media)),
        }
    }
    let system = ask.request.system.clone();
    let mut messages = Vec::with_capacity(2);
    messages.extend(system.map(|content| Message { role: "system", content, images: Vec::new() }));
    messages.push(user);
    Body {
        model: ask.request.model.as_deref().unwrap_or(&ask.endpoint.model),
        messages,
        stream: ask.streams(),
        options: ask.max_tokens().map(|num_predict| Options { num_predict }),
    }
}

#[derive(Deserialize)]
pub(super) struct Answer {
    model: Option<String>,
    message: Option<Words>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Words {
    content: Option<String>,
    thinking: Option<String>,
}

pub(super) fn piece(draft: &mut Draft, answer: Answer) -> Result<(), Trouble> {
    if let Some(message) = answer.error {
        return Err(Trouble::Complaint(Complaint { code: String::new(), message }));
    }
    if answer.message.is_none() && !answer.done {
        return Err(Trouble::Malformed("it has no `message`".to_owned()));
    }
    if let Some(words) = answer.message {
        draft.text.push_str(words.content.as_deref().unwrap_or_default());
        draft.think(words.thinking.as_deref());
    }
    learn(&mut draft.model, answer.model);
    learn(&mut draft.usage.input, answer.prompt_eval_count);
    learn(&mut draft.usage.output, answer.eval_count);
    learn(
        &mut draft.finish,
        answer.done_reason.map(|word| match word.as_str() {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            _ => Finish::Other(word),
        }),
    );
    draft.over |= answer.done;
    Ok(())
}
