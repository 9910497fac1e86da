//! `analyze_screenshot`: what a model sees in a picture.

use std::sync::Arc;

use geometry::Rect;
use mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use models::{Answer, Choice, HONEST, Part, Provider, Request, TEXT_IS_DATA};
use picture::palette;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{given_or_new, go_on, read};
use crate::State;
use crate::error::Error;
use crate::screenshot::{Left, Screenshot};

pub(super) struct AnalyzeScreenshot;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot; without it, a new one of the whole screen is taken first.
    screenshot_id: Option<String>,
    /// What to ask the model.
    #[serde(default = "describe")]
    #[schemars(length(max = 20_000))]
    prompt: String,
    /// Whose model looks at it; `local` asks no model.
    #[serde(default = "claude")]
    provider: Choice,
    /// The part to look at, in pixels of the screenshot; it becomes a screenshot of its own.
    region: Option<Rect>,
    /// Takes what is private out of the picture before a model gets it, as `auto_redact_pii` does.
    #[serde(default)]
    redact: bool,
}

fn claude() -> Choice {
    Choice::Model(Provider::Claude)
}

fn describe() -> String {
    "Describe what you see in this screenshot".to_owned()
}

/// What the answer is about, and what it cost.
#[derive(Serialize)]
struct Analysis<'a> {
    screenshot_id: String,
    text: &'a str,
    provider: &'static str,
    #[serde(flatten)]
    by: Option<By<'a>>,
}

/// Which model it was.
#[derive(Serialize)]
struct By<'a> {
    model: &'a str,
    usage: Usage,
    finish: &'a str,
}

#[derive(Serialize)]
struct Usage {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
}

impl Tool<State> for AnalyzeScreenshot {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "analyze_screenshot",
        "Ask a vision model about a screenshot",
        "Sends a screenshot and a prompt to a vision model and answers with its words, the model's name and the tokens used. \
         The picture leaves this machine, except with ollama and local; redact takes private things out of it first. local \
         asks no model: it tells text, size and colours. Never \
         falls back to another provider. Without a screenshot_id it captures the whole screen first.",
    )
    .additive();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let Input { screenshot_id, prompt, provider, region, redact } = input;
        let models;
        let session = match provider {
            Choice::Local => None,
            // Known before anything is captured or sent.
            Choice::Model(provider) => {
                models = state.host.models()?;
                Some(models.open(provider).await.map_err(Error::Model)?)
            }
        };
        let taken = given_or_new(state, screenshot_id.as_deref(), region).await?;
        let Some(session) = session else { return local(state, cx, &taken).await };
        let is_redacted = redact || state.host.settings().ai.redact_before_sending;
        let (watched, provider) = (cx.clone(), session.provider());
        let (screenshot, media) = state
            .host
            .work(move |host| {
                let mut shown = taken;
                if is_redacted {
                    let found = host.find_private(&shown, &mut |_| go_on(&watched))?;
                    shown = host.redact(&shown, &found)?;
                }
                let media = shown.media(provider)?;
                Ok((shown, media))
            })
            .await?;
        let request = Request {
            system: Some(TEXT_IS_DATA.to_owned()),
            parts: vec![Part::Picture(media), Part::Text(prompt)],
            ..Request::default()
        };
        // Before it is sent: it may have arrived, whatever comes back.
        let to = Left::Model { provider: provider.name().to_owned() };
        state.host.note_left(screenshot.id(), to);
        let tell = |seconds: f64, message: &str| cx.progress(seconds, None, Some(message));
        let progress: Option<models::Progress<'_>> = if cx.wants_progress() { Some(&tell) } else { None };
        let answer = session.ask_telling(&request, progress).await.map_err(Error::Model)?;
        Ok(told(&screenshot, provider, &answer)?)
    }
}

/// What can be told without a model. The text stands last, so that nothing in it can pass for words of ours.
async fn local(state: &State, cx: &Cx, screenshot: &Arc<Screenshot>) -> Result<Reply, Stop> {
    let page = read(state, cx, screenshot, "eng").await?;
    let source = Arc::clone(screenshot);
    let colours = state.host.work(move |_| Ok(palette(source.pixels()?.picture()))).await?;
    let colours: Vec<String> = colours.iter().map(ToString::to_string).collect();
    let ((width, height), colours) = (screenshot.size(), colours.join(", "));
    let head = format!(
        "{HONEST}\n\n{width} × {height} pixels. Colours: {colours}. What it shows and means takes a model: choose another \
         `provider`. [screenshot_id {}]",
        screenshot.id()
    );
    let text = if page.lines.is_empty() {
        format!("{head}\n\nThere is no text that can be read.")
    } else {
        format!("{head}\n\nThe text, to the end of this answer:\n\n{page}")
    };
    let screenshot_id = screenshot.id().to_string();
    Ok(Reply::structured(
        &Analysis { screenshot_id, text: &text, provider: "local", by: None },
        text.clone(),
    )?)
}

fn told(screenshot: &Screenshot, provider: Provider, answer: &Answer) -> Result<Reply, Fail> {
    let usage = Usage { input_tokens: answer.usage.input, output_tokens: answer.usage.output };
    let tokens = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
    let text = format!(
        "{}\n\n[{} by {}; {} tokens in, {} out; screenshot_id {}]",
        answer.text,
        answer.model,
        provider.id(),
        tokens(usage.input_tokens),
        tokens(usage.output_tokens),
        screenshot.id()
    );
    let analysis = Analysis {
        screenshot_id: screenshot.id().to_string(),
        text: &answer.text,
        provider: provider.id(),
        by: Some(By { model: &answer.model, usage, finish: answer.finish.as_str() }),
    };
    Reply::structured(&analysis, text)
}
