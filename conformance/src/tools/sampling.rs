//! Asking the client's model.

use mcp::{About, Cx, InputRequest, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::State;

pub(super) fn question(prompt: &str, max_tokens: u32) -> InputRequest {
    InputRequest::Sampling(json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
        "maxTokens": max_tokens,
    }))
}

/// What the model said to `prompt`.
pub(super) fn ask(cx: &Cx, key: &str, prompt: &str, max_tokens: u32) -> Result<String, Stop> {
    #[derive(Deserialize)]
    struct Said {
        content: Text,
    }
    #[derive(Deserialize)]
    struct Text {
        text: String,
    }
    let said: Option<Said> = cx.request_input(key, question(prompt, max_tokens))?.read();
    said.map(|said| said.content.text).ok_or_else(|| "The client's model answered without a text".into())
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Prompt {
    /// The prompt to send to the LLM
    prompt: String,
}

pub(super) struct Sampling;

impl Tool<State> for Sampling {
    type In = Prompt;
    type Out = String;
    const ABOUT: About =
        About::new("test_sampling", "Sampling", "Passes a prompt to the client's model.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, input: Prompt) -> Result<String, Stop> {
        Ok(format!("LLM response: {}", ask(cx, "sample", &input.prompt, 100)?))
    }
}
