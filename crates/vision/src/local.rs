//! A reading without a model: what can be measured and read on this machine, and nothing else. It says so in its first line.

mod faults;
mod layout;
mod text;

use std::fmt::Write as _;

use models::HONEST;
use ocr::Reader;
use picture::{Picture, compare, palette};
use serde_json::{Value, json};

use crate::error::Error;
use crate::task::{Artifact, Task};

pub use faults::{Fault, find_faults};
pub use layout::{Layout, measure};

/// So many of something, in words.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// What was found out, in words and as data.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) text: String,
    pub(crate) data: Value,
}

/// Whether a task can be done without a model at all.
pub(crate) fn can(task: &Task) -> Result<(), Error> {
    match task {
        Task::UiToArtifact(Artifact::Code) => Err(Error::NeedsModel { what: "writing code from a picture" }),
        Task::UiToArtifact(Artifact::Prompt) => {
            Err(Error::NeedsModel { what: "writing a prompt from a picture" })
        }
        Task::AnalyzeVideo => Err(Error::NeedsModel { what: "watching a video" }),
        Task::UiToArtifact(Artifact::Spec | Artifact::Description)
        | Task::ExtractText { .. }
        | Task::DiagnoseError { .. }
        | Task::UnderstandDiagram { .. }
        | Task::AnalyzeChart { .. }
        | Task::CompareUi
        | Task::AnalyzeImage => Ok(()),
    }
}

/// Reads pictures, which are opaque.
pub(crate) fn read(task: &Task, pictures: &[Picture], reader: &Reader) -> Result<Reading, Error> {
    match (task, pictures) {
        (Task::ExtractText { .. }, [picture]) => extract(picture, reader),
        (Task::DiagnoseError { .. }, [picture]) => diagnose(picture, reader),
        (Task::CompareUi, [expected, actual]) => compare_ui(expected, actual, reader),
        (_, [picture, ..]) => describe(picture, reader),
        (_, []) => Err(Error::NeedsModel { what: "this" }),
    }
}

fn extract(picture: &Picture, reader: &Reader) -> Result<Reading, Error> {
    let found = text::read(picture, reader)?;
    let told = if found.lines.is_empty() {
        "There is no text that can be read in the picture.".to_owned()
    } else {
        format!("{}\n\n{}", found.quality(), text::block(&found.indented()))
    };
    Ok(Reading { text: format!("{HONEST}\n\n{told}"), data: found.data() })
}

fn diagnose(picture: &Picture, reader: &Reader) -> Result<Reading, Error> {
    let found = text::read(picture, reader)?;
    let written = found.indented();
    let faults = find_faults(&written);
    let mut told = String::new();
    // Writing to a string does not fail.
    let _ = match faults.as_slice() {
        [] => write!(told, "No known kind of error message is in the text of the picture."),
        faults => {
            let lines: Vec<String> = faults
                .iter()
                .map(|fault| format!("- line {}, {}: {}", fault.line, fault.kind, fault.quote))
                .collect();
            write!(told, "What looks like an error:\n{}", lines.join("\n"))
        }
    };
    let _ = write!(
        told,
        "\n\nCause and remedy take a model: set `Z_AI_API_KEY`, or choose a `provider` that has a key.\n\n{}",
        if found.lines.is_empty() { "No text could be read.".to_owned() } else { text::block(&written) }
    );
    let data = json!({ "errors": faults, "text": found.data() });
    Ok(Reading { text: format!("{HONEST}\n\n{told}"), data })
}

fn compare_ui(expected: &Picture, actual: &Picture, reader: &Reader) -> Result<Reading, Error> {
    let difference = compare(expected, actual);
    let mut told = difference.to_string();
    let (before, after) = (text::read(expected, reader)?, text::read(actual, reader)?);
    let (gone, new) = text::changes(&before, &after);
    for (title, lines) in
        [("Text that is only in the expected picture", &gone), ("Text that is only in the actual one", &new)]
    {
        if !lines.is_empty() {
            let _ = write!(told, "\n\n{title}:\n- {}", lines.join("\n- "));
        }
    }
    let data = json!({ "difference": difference, "text_gone": gone, "text_new": new });
    Ok(Reading { text: format!("{HONEST}\n\n{told}"), data })
}

fn describe(picture: &Picture, reader: &Reader) -> Result<Reading, Error> {
    let colours = palette(picture);
    let layout = measure(picture);
    let found = text::read(picture, reader)?;
    let shares: Vec<String> = colours.iter().map(ToString::to_string).collect();
    let shown: Vec<Value> =
        colours.iter().map(|colour| json!({ "hex": colour.hex, "percent": colour.percent })).collect();
    let mut told = format!(
        "{} × {} pixels. Colours: {}. {layout}",
        picture.width(),
        picture.height(),
        shares.join(", ")
    );
    if found.lines.is_empty() {
        told.push_str("\n\nThere is no text that can be read.");
    } else {
        let _ = write!(told, "\n\n{}\n\n{}", found.quality(), text::block(&found.indented()));
    }
    told.push_str("\n\nWhat it shows and means takes a model: set `Z_AI_API_KEY`, or choose a `provider` that has a key.");
    let data = json!({
        "width": picture.width(), "height": picture.height(), "palette": shown, "layout": layout, "text": found.data(),
    });
    Ok(Reading { text: format!("{HONEST}\n\n{told}"), data })
}
