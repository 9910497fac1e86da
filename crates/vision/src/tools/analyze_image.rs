//! `analyze_image`: look at a picture.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::Task;

pub(crate) struct AnalyzeImage;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The picture: an absolute path, a https: URL or a data: URL. PNG, JPEG, WebP, GIF, BMP or TIFF.
    #[serde(alias = "imageSource")]
    #[schemars(length(min = 1))]
    image_source: String,
    /// What you want to know about the picture.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for AnalyzeImage {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "analyze_image",
        "Look at a picture",
        "Looks at any picture and answers a question about it. Use one of the other tools if the picture \
         is a user interface, an error, a diagram, a chart, or text to be read.",
    )
    .read_only()
    .core();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::AnalyzeImage;
        let sources = vec![("image_source", input.image_source)];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
