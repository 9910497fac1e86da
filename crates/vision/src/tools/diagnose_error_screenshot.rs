//! `diagnose_error_screenshot`: diagnose an error in a screenshot.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::Task;

pub(crate) struct DiagnoseErrorScreenshot;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The picture: an absolute path, a https: URL or a data: URL. PNG, JPEG, WebP, GIF, BMP or TIFF.
    #[serde(alias = "imageSource")]
    #[schemars(length(min = 1))]
    image_source: String,
    /// What you want to know about the error.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    /// When it happened: what was done, on which system, with which versions.
    #[schemars(length(max = 20_000))]
    context: Option<String>,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for DiagnoseErrorScreenshot {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "diagnose_error_screenshot",
        "Diagnose an error in a screenshot",
        "Explains an error message, stack trace or failure dialog in a screenshot: what it says, the \
         likely cause and the steps that fix it. Use it for pictures of errors; for text you have as \
         text, no picture is needed.",
    )
    .read_only();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::DiagnoseError { context: input.context };
        let sources = vec![("image_source", input.image_source)];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
