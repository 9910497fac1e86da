//! Saying something before the answer: log messages and progress.

use std::time::Duration;

use mcp::{About, Cx, Level, Run, Stop, Tool};

use super::Nothing;
use crate::State;

/// The pause that the suite asks for between two messages.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

pub(super) struct WithLogging;

impl Tool<State> for WithLogging {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_tool_with_logging", "Logging", "Logs three times while it works.").read_only();

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        cx.log(Level::Info, "conformance", &"Tool execution started");
        pause().await;
        cx.log(Level::Info, "conformance", &"Tool processing data");
        pause().await;
        cx.log(Level::Info, "conformance", &"Tool execution completed");
        Ok("Tool with logging executed successfully".into())
    }
}

/// Silent unless the request names a level.
pub(super) struct LoggingTool;

impl Tool<State> for LoggingTool {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_logging_tool", "Logging on demand", "Logs once, for clients that want it.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        cx.log(Level::Info, "conformance", &"A log message that was asked for");
        Ok("Logging tool executed successfully".into())
    }
}

pub(super) struct WithProgress;

impl Tool<State> for WithProgress {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_tool_with_progress", "Progress", "Reports how far it is, three times.").read_only();

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        cx.progress(0.0, Some(100.0), None);
        pause().await;
        cx.progress(50.0, Some(100.0), None);
        pause().await;
        cx.progress(100.0, Some(100.0), None);
        Ok("Tool with progress executed successfully".into())
    }
}
