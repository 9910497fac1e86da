//! What taking tags away did, as data and in words.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Removal;
use crate::words;
use crate::write::{Effect, Removed};

/// What taking tags away did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedReport {
    /// The picture, as it was named.
    pub file_path: String,
    /// Whether the file was changed.
    pub changed: bool,
    /// Tags and people that were there and are gone.
    pub removed: Vec<String>,
    /// Tags and people that were not there.
    pub missing: Vec<String>,
    /// What was done, in a sentence.
    pub message: String,
}

impl RemovedReport {
    /// Of a removal from the picture at this path.
    pub fn of(file_path: &str, asked: Removal, Removed { done, missing }: Removed) -> RemovedReport {
        let there = |asked: Vec<String>, missing: &[String]| {
            asked.into_iter().filter(|text| !missing.contains(text)).collect::<Vec<String>>()
        };
        let mut removed = there(asked.tags, &missing.tags);
        removed.extend(there(asked.people, &missing.people));
        RemovedReport {
            file_path: file_path.to_owned(),
            changed: done.effect == Effect::Written,
            removed,
            missing: [missing.tags, missing.people].concat(),
            message: words::done(&done),
        }
    }
}

impl fmt::Display for RemovedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", words::line(&self.file_path), self.message)?;
        for (what, list) in [("removed", &self.removed), ("not there", &self.missing)] {
            if !list.is_empty() {
                write!(f, "; {what}: {}", words::list(list))?;
            }
        }
        Ok(())
    }
}
