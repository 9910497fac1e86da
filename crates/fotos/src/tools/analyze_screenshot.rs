//! `analyze_screenshot`: what a model sees in a picture.

use bytes::Bytes;
use mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use models::{Answer, HONEST, Media, Part, Provider, Request};
use picture::{Budget, encode_within, palette};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::cancelling::unless_cancelled;
use crate::error::Error;
use crate::screenshot::Screenshot;

pub(super) struct AnalyzeScreenshot;

/// No model sees more than this.
const LONG_EDGE: u32 = 2_048;

/// Whose model looks at the picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Chosen {
    /// Anthropic.
    #[default]
    Claude,
    /// OpenAI.
    OpenAi,
    /// Google.
    Gemini,
    /// Ollama, on this machine.
    Ollama,
    /// z.ai.
    Zai,
    /// The OpenAI-compatible endpoint that is set.
    Compatible,
    /// Nobody's: text, size and colours are read on this machine.
    Local,
}

impl Chosen {
    /// Whom to ask; nobody for a reading without a model.
    fn provider(self) -> Option<Provider> {
        match self {
            Chosen::Claude => Some(Provider::Claude),
            Chosen::OpenAi => Some(Provider::OpenAi),
            Chosen::Gemini => Some(Provider::Gemini),
            Chosen::Ollama => Some(Provider::Ollama),
            Chosen::Zai => Some(Provider::Zai),
            Chosen::Compatible => Some(Provider::Compatible),
            Chosen::Local => None,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot; without it, a new one of the whole screen is taken first.
    screenshot_id: Option<String>,
    /// What to ask the model.
    #[serde(default = "describe")]
    #[schemars(length(max = 20_000))]
    prompt: String,
    /// Whose model looks at it.
    #[serde(default)]
    provider: Chosen,
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
         The picture leaves this machine, except with ollama and local; auto_redact_pii first takes private things out. local \
         asks no model: it tells text, size and colours. Never \
         falls back to another provider. Without a screenshot_id it captures the whole screen first.",
    )
    .additive();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let Some(provider) = input.provider.provider() else {
            let screenshot = state.given_or_new(input.screenshot_id.as_deref(), cx).await?;
            return read(state, &screenshot, cx);
        };
        let models = state.models.as_ref().map_err(|error| Fail::new(error.to_string()))?;
        // Known before anything is captured or sent.
        if provider.needs_key() && !models.is_ready(provider).await.map_err(Error::Model)? {
            return Err(Error::Model(models::ModelError::NoKey { provider }).into());
        }
        let screenshot = state.given_or_new(input.screenshot_id.as_deref(), cx).await?;
        let request = Request {
            parts: vec![Part::Picture(media(&screenshot, provider)?), Part::Text(input.prompt)],
            ..Request::default()
        };
        cx.progress(1.0, Some(2.0), Some("the picture is sent"));
        let asking = models.ask(provider, &request, None);
        let answer = unless_cancelled(cx, asking).await.ok_or_else(|| Fail::new("the call was cancelled"))?;
        Ok(told(&screenshot, provider, &answer.map_err(Error::Model)?)?)
    }
}

/// The picture as this provider takes it.
fn media(screenshot: &Screenshot, provider: Provider) -> Result<Media, Error> {
    let intake = provider.intake();
    let budget = Budget { bytes: intake.picture_bytes, edge: intake.picture_edge.min(LONG_EDGE) };
    let encoded = encode_within(screenshot.pixels()?.picture().clone(), budget)?;
    Ok(Media { mime: encoded.kind.mime(), bytes: Bytes::from(encoded.bytes) })
}

/// What can be told without a model. The text stands last, so that nothing in it can pass for words of ours.
fn read(state: &State, screenshot: &Screenshot, cx: &Cx) -> Result<Reply, Stop> {
    let page = state.read(screenshot, "eng", cx)?;
    let colours: Vec<String> =
        palette(screenshot.pixels()?.picture()).iter().map(ToString::to_string).collect();
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
