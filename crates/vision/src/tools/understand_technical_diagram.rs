//! `understand_technical_diagram`: explain a technical diagram.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::Task;

pub(crate) struct UnderstandTechnicalDiagram;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The picture: an absolute path, a https: URL or a data: URL. PNG, JPEG, WebP, GIF, BMP or TIFF.
    #[serde(alias = "imageSource")]
    #[schemars(length(min = 1))]
    image_source: String,
    /// What you want to know about the diagram.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    /// The kind of diagram, if known, such as `architecture`, `flowchart`, `er-diagram` or `sequence`.
    #[serde(alias = "diagramType")]
    #[schemars(length(max = 200))]
    diagram_type: Option<String>,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for UnderstandTechnicalDiagram {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "understand_technical_diagram",
        "Explain a technical diagram",
        "Explains a technical drawing: architecture, flow chart, sequence, UML, entity-relationship, \
         network or circuit. Names elements, connections and flows.",
    )
    .read_only();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::UnderstandDiagram { kind: input.diagram_type };
        let sources = vec![("image_source", input.image_source)];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
