//! `analyze_video`: watch a video.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::options::Options;
use super::{closed, look};
use crate::look::Looker;
use crate::report::Report;
use crate::task::Task;

pub(crate) struct AnalyzeVideo;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The video: an absolute path, a https: URL or a data: URL; up to 8 MB.
    #[serde(alias = "videoSource")]
    #[schemars(length(min = 1))]
    video_source: String,
    /// What you want to know about the video.
    #[schemars(length(min = 1, max = 100_000))]
    prompt: String,
    #[serde(flatten)]
    options: Options,
}

impl Tool<Looker> for AnalyzeVideo {
    type In = Input;
    type Out = Report;
    const ABOUT: About = About::new(
        "analyze_video",
        "Watch a video",
        "Watches a video of up to 8 MB and answers a question about it: what happens, when, who and what \
         is there. MP4, MOV or M4V. zai and gemini take videos; the other providers are shown frames, \
         for which ffmpeg has to be installed.",
    )
    .read_only();

    async fn call(&self, looker: &Looker, cx: &Cx, input: Input) -> Result<Report, Stop> {
        let task = Task::AnalyzeVideo;
        let sources = vec![("video_source", input.video_source)];
        look(looker, cx, input.options.call(task, sources, input.prompt)?).await
    }

    fn input_schema() -> Value {
        closed::<Input>()
    }
}
