//! The tools, in the order clients see them.

mod analyze_data_visualization;
mod analyze_image;
mod analyze_video;
mod diagnose_error_screenshot;
mod extract_text_from_screenshot;
mod options;
mod ui_diff_check;
mod ui_to_artifact;
mod understand_technical_diagram;

use mcp::{Cx, Fail, Output, Reply, Server, Stop};
use schemars::JsonSchema;
use serde_json::Value;

use crate::error::Error;
use crate::look::{Call, Looker};
use crate::report::Report;

pub(crate) fn offer(server: Server<Looker>) -> Server<Looker> {
    server
        .tool(ui_to_artifact::UiToArtifact)
        .tool(extract_text_from_screenshot::ExtractTextFromScreenshot)
        .tool(diagnose_error_screenshot::DiagnoseErrorScreenshot)
        .tool(understand_technical_diagram::UnderstandTechnicalDiagram)
        .tool(analyze_data_visualization::AnalyzeDataVisualization)
        .tool(ui_diff_check::UiDiffCheck)
        .tool(analyze_image::AnalyzeImage)
        .tool(analyze_video::AnalyzeVideo)
}

/// Does a call, telling the client how far it is if that wants to know.
async fn look(looker: &Looker, cx: &Cx, call: Call) -> Result<Report, Stop> {
    let tell = |seconds: f64, message: &str| cx.progress(seconds, None, Some(message));
    let roots = looker.roots(cx.caller().remote);
    let progress: Option<models::Progress<'_>> = if cx.wants_progress() { Some(&tell) } else { None };
    Ok(looker.look(call, roots, progress).await.map_err(Fail::from)?)
}

/// The schema of a tool's arguments, which are all of them: a name that is not there is a mistake.
fn closed<T: JsonSchema>() -> Value {
    let mut schema = mcp::schema::of_arguments::<T>();
    schema["additionalProperties"] = Value::Bool(false);
    schema
}

impl Output for Report {
    fn into_reply(self) -> Result<Reply, Fail> {
        Reply::structured(&self, self.text.clone())
    }

    fn schema() -> Option<Value> {
        Some(mcp::schema::of::<Report>())
    }
}

impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        match error {
            Error::EmptyArgument(_)
            | Error::OutOfBounds { .. }
            | Error::NoPages { .. }
            | Error::NotForVideos(_) => Fail::arguments(error.to_string()),
            other => Fail::new(other.to_string()),
        }
    }
}
