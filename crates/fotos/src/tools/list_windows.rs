//! `list_windows`: the windows on the screen.

use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::capture::Window;

pub(super) struct ListWindows;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

/// The windows there are.
#[derive(Serialize, JsonSchema)]
pub(super) struct Windows {
    /// The uppermost first.
    windows: Vec<Window>,
}

impl Tool<State> for ListWindows {
    type In = Input;
    type Out = Json<Windows>;
    const ABOUT: About = About::new(
        "list_windows",
        "List windows",
        "Lists the windows on the screen, the uppermost first: title, class, process, box, stacking, focus, and whether each is \
         visible or minimised. Use it to choose the window_title of a screenshot. Windows the person excluded are left out. \
         A Wayland desktop does not tell its windows.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, _: &Cx, _: Input) -> Result<Json<Windows>, Stop> {
        let mut windows = state.host.windows().await?;
        for window in &mut windows {
            window.title = redaction::mask(&window.title);
        }
        Ok(Json(Windows { windows }))
    }
}
