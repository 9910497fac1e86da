//! What can be called, by what it is to show.

mod changing;
mod content;
mod elicitation;
mod failing;
mod input_required;
mod reporting;
mod sampling;
mod schemas;
mod streaming;
mod tasks;

use mcp::Server;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;

/// One line a tool. The suite calls the first one without arguments and wants no error for it.
pub(crate) fn add(server: Server<State>) -> Server<State> {
    server
        .tool(content::SimpleText)
        .tool(content::Image)
        .tool(content::Audio)
        .tool(content::EmbeddedResource)
        .tool(content::Mixed)
        .tool(reporting::WithLogging)
        .tool(reporting::LoggingTool)
        .tool(reporting::WithProgress)
        .tool(failing::ErrorHandling)
        .tool(failing::MissingCapability)
        .tool(sampling::Sampling)
        .tool(elicitation::Elicitation)
        .tool(elicitation::Defaults)
        .tool(elicitation::Enums)
        .tool(streaming::Reconnection)
        .tool(streaming::StreamingElicitation)
        .tool(schemas::EveryKeyword)
        .tool(schemas::CustomHeader)
        .tool(changing::TriggerToolChange)
        .tool(changing::TriggerPromptChange)
        .tool(input_required::single::Elicitation)
        .tool(input_required::single::Sampling)
        .tool(input_required::single::ListRoots)
        .tool(input_required::several::MultipleInputs)
        .tool(input_required::several::Capabilities)
        .tool(input_required::stateful::RequestState)
        .tool(input_required::stateful::MultiRound)
        .tool(input_required::stateful::TamperedState)
        .tool(tasks::Greet)
        .tool(tasks::SlowCompute)
        .tool(tasks::FailingJob)
        .tool(tasks::ProtocolErrorJob)
        .tool(tasks::ConfirmDelete)
        .tool(tasks::MultiInput)
        .tool(tasks::ToolWithTask)
}

/// For tools without arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Nothing {}
