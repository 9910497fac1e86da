//! What is to be found out.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// What a screenshot of a user interface is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Artifact {
    /// Front-end code.
    Code,
    /// A prompt from which a model builds the same.
    Prompt,
    /// A design specification.
    Spec,
    /// A description in prose.
    Description,
}

/// A plain list of words, as clients of z.ai's own server know it: the derived schema is a choice of constants.
impl JsonSchema for Artifact {
    fn schema_name() -> Cow<'static, str> {
        "Artifact".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["code", "prompt", "spec", "description"] })
    }
}

/// What is to be found out about a picture or a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// A user interface, turned into something.
    UiToArtifact(Artifact),
    /// The text in a screenshot.
    ExtractText {
        /// The programming language, if somebody knows it.
        language: Option<String>,
    },
    /// What went wrong.
    DiagnoseError {
        /// When it happened.
        context: Option<String>,
    },
    /// A technical drawing.
    UnderstandDiagram {
        /// Which kind, if somebody knows it.
        kind: Option<String>,
    },
    /// A chart or dashboard.
    AnalyzeChart {
        /// What to look at.
        focus: Option<String>,
    },
    /// Two pictures of a user interface: as it should be, and as it is.
    CompareUi,
    /// Any picture.
    AnalyzeImage,
    /// A video.
    AnalyzeVideo,
}

impl Task {
    /// What the model is told besides the prompt, and where in the text it stands.
    pub(crate) fn text(&self, prompt: &str) -> String {
        let hint = |label: &str, value: &Option<String>| match value.as_deref().map(str::trim) {
            Some(value) if !value.is_empty() => format!("{prompt}\n\n{label}: {value}"),
            _ => prompt.to_owned(),
        };
        match self {
            Task::ExtractText { language } => hint("Programming language", language),
            Task::DiagnoseError { context } => hint("Context of the error", context),
            Task::UnderstandDiagram { kind } => hint("Kind of diagram", kind),
            Task::AnalyzeChart { focus } => hint("Focus of the analysis", focus),
            Task::CompareUi => format!(
                "The first image is the expected design (the reference); the second image is the actual implementation.\n\n\
                 {prompt}"
            ),
            Task::UiToArtifact(_) | Task::AnalyzeImage | Task::AnalyzeVideo => prompt.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Task;

    #[test]
    fn hints_follow_the_prompt_and_empty_ones_say_nothing() {
        let task = |language: Option<&str>| Task::ExtractText { language: language.map(str::to_owned) };
        assert_eq!(task(Some("rust")).text("Read it"), "Read it\n\nProgramming language: rust");
        assert_eq!(task(Some("  ")).text("Read it"), "Read it");
        assert_eq!(task(None).text("Read it"), "Read it");
    }

    #[test]
    fn the_model_is_told_which_picture_is_which() {
        let text = Task::CompareUi.text("Compare");
        assert!(text.find("first image is the expected") < text.find("second image is the actual"));
        assert!(text.ends_with("Compare"));
    }
}
