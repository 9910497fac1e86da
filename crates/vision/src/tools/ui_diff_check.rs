//! `ui_diff_check`: compare two UI screenshots.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::Task;

pub(crate) struct UiDiffCheck;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// How it should look: an absolute path, a https: URL or a data: URL.
    #[serde(alias = "expectedImageSource")]
    #[schemars(length(min = 1))]
    expected_image_source: String,
    /// How it looks: an absolute path, a https: URL or a data: URL.
    #[serde(alias = "actualImageSource")]
    #[schemars(length(min = 1))]
    actual_image_source: String,
    /// What to look at when comparing.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for UiDiffCheck {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "ui_diff_check",
        "Compare two UI screenshots",
        "Compares how a user interface should look with how it looks, and lists the differences by \
         severity. Works without any key: then the changed parts are found pixel by pixel on this \
         machine.",
    )
    .read_only()
    .core();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::CompareUi;
        let sources = vec![
            ("expected_image_source", input.expected_image_source),
            ("actual_image_source", input.actual_image_source),
        ];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
