//! `analyze_data_visualization`: read a chart or dashboard.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::Task;

pub(crate) struct AnalyzeDataVisualization;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The picture: an absolute path, a https: URL or a data: URL. PNG, JPEG, WebP, GIF, BMP or TIFF.
    #[serde(alias = "imageSource")]
    #[schemars(length(min = 1))]
    image_source: String,
    /// What you want to know about the data.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    /// What to look at, such as `trends`, `anomalies` or `comparisons`; everything if not said.
    #[serde(alias = "analysisFocus")]
    #[schemars(length(max = 2000))]
    analysis_focus: Option<String>,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for AnalyzeDataVisualization {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "analyze_data_visualization",
        "Read a chart or dashboard",
        "Reads charts, graphs and dashboards: values, trends, comparisons and outliers, with estimates \
         marked as such.",
    )
    .read_only();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::AnalyzeChart { focus: input.analysis_focus };
        let sources = vec![("image_source", input.image_source)];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
