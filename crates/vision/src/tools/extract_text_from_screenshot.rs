//! `extract_text_from_screenshot`: read the text in a screenshot.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::Task;

pub(crate) struct ExtractTextFromScreenshot;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The picture: an absolute path, a https: URL or a data: URL. PNG, JPEG, WebP, GIF, BMP or TIFF.
    #[serde(alias = "imageSource")]
    #[schemars(length(min = 1))]
    image_source: String,
    /// What to read, and how to write it down.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    /// The programming language of code in it, if known.
    #[serde(alias = "programmingLanguage", alias = "language_hint", alias = "languageHint")]
    #[schemars(length(max = 100))]
    programming_language: Option<String>,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for ExtractTextFromScreenshot {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "extract_text_from_screenshot",
        "Extract text from a picture",
        "Reads the text in a picture letter by letter: code, terminal output, documents, error messages. \
         Keeps lines and indentation. Works without any key: then text is read on this machine, with the \
         place of every line.",
    )
    .read_only()
    .core();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::ExtractText { language: input.programming_language };
        let sources = vec![("image_source", input.image_source)];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
