//! `ui_to_artifact`: turn a UI screenshot into code, a prompt, a spec or a description.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::{Artifact, Task};

pub(crate) struct UiToArtifact;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The picture: an absolute path, a https: URL or a data: URL. PNG, JPEG, WebP, GIF, BMP or TIFF.
    #[serde(alias = "imageSource")]
    #[schemars(length(min = 1))]
    image_source: String,
    /// What to make of it: `code`, `prompt`, `spec` or `description`.
    #[serde(alias = "outputType")]
    output_type: Artifact,
    /// What to make of it, and with which framework or in which style.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for UiToArtifact {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "ui_to_artifact",
        "Turn a UI screenshot into code, a prompt, a spec or a description",
        "Turns a screenshot of a user interface into front-end code, a prompt to rebuild it, a design \
         specification or a description. Use it for designs and running interfaces; not for other \
         pictures.",
    )
    .read_only();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::UiToArtifact(input.output_type);
        let sources = vec![("image_source", input.image_source)];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
