//! `undoImageMetadata`: the last changes of pictures taken back, byte for byte, or made again.

use mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Told;
use crate::State;
use crate::batch::Depth;
use crate::undo::{BatchId, Direction, MOST_STEPS, Reverted, Scope};

pub(super) struct UndoImageMetadata;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Input {
    /// Absolute path of a picture. Give exactly one of `filePath`, `folder` and `batch`.
    file_path: Option<String>,
    /// With `filePath`: how many changes to take back, 1 to 100; 1 if left out.
    #[schemars(range(min = 1, max = 100))]
    steps: Option<u32>,
    /// Absolute path of a folder: the last change of every picture in it is taken back.
    folder: Option<String>,
    /// With `folder`: also the pictures in all folders below it.
    #[serde(default)]
    recursive: bool,
    /// A batch, by the name that batchWriteImageMetadata answered with, or `last`: every file that it changed.
    batch: Option<String>,
    /// Whether to make again what was undone last, instead of undoing.
    #[serde(default)]
    redo: bool,
}

impl Tool<State> for UndoImageMetadata {
    type In = Input;
    type Out = Told<Reverted>;
    const ABOUT: About = About::new(
        "undoImageMetadata",
        "Undo photo metadata changes",
        "Takes back changes that this server made: the last of one picture, of every picture in a folder, or all of a \
         batch. Each file becomes byte for byte what it was. Refused where another program has changed the file since. \
         With `redo`, what was undone is made again. Use it when a write was a mistake.",
    )
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Told<Reverted>, Stop> {
        let direction = if input.redo { Direction::Redo } else { Direction::Undo };
        let roots = state.roots(cx.caller());
        Ok(Told(state.writer.revert_all(roots, scope(input)?, direction)?))
    }
}

fn scope(input: Input) -> Result<Scope, Fail> {
    let steps = input.steps.unwrap_or(1);
    if !(1..=MOST_STEPS).contains(&steps) {
        return Err(Fail::arguments(format!("Argument `steps`: expected 1 to {MOST_STEPS}, got {steps}")));
    }
    let depth = if input.recursive { Depth::Recursive } else { Depth::Flat };
    match (input.file_path, input.folder, input.batch) {
        (Some(path), None, None) => Ok(Scope::File { path: path.into(), steps }),
        (None, Some(path), None) if steps == 1 => Ok(Scope::Folder { path: path.into(), depth }),
        (None, None, Some(batch)) if steps == 1 && batch == "last" => Ok(Scope::LastBatch),
        (None, None, Some(batch)) if steps == 1 => {
            BatchId::parse(&batch).map(Scope::Batch).ok_or_else(|| {
                Fail::arguments(format!(
                    "Argument `batch`: expected 16 hexadecimal digits or `last`, got `{batch}`; \
                     batchWriteImageMetadata answers with it"
                ))
            })
        }
        (None, _, _) if steps > 1 => Err(Fail::arguments("Argument `steps` is for `filePath` alone")),
        _ => Err(Fail::arguments("Give exactly one of `filePath`, `folder` and `batch`")),
    }
}
