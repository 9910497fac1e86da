//! `list_monitors`: the monitors there are.

use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::capture::MonitorInfo;

pub(super) struct ListMonitors;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

/// The monitors there are.
#[derive(Serialize, JsonSchema)]
pub(super) struct Monitors {
    /// In the order of their numbers.
    monitors: Vec<MonitorInfo>,
}

impl Tool<State> for ListMonitors {
    type In = Input;
    type Out = Json<Monitors>;
    const ABOUT: About = About::new(
        "list_monitors",
        "List monitors",
        "Lists the monitors: number, name, box on the screen and scale. Use it to choose the monitor_index of a screenshot.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, _: &Cx, _: Input) -> Result<Json<Monitors>, Stop> {
        Ok(Json(Monitors { monitors: state.host.monitors().await? }))
    }
}
