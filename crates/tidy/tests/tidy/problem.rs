//! What a check found.

use std::fmt;

/// Where, what is wrong, and what to do about it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    pub(crate) place: String,
    pub(crate) reason: String,
    pub(crate) remedy: String,
}

impl Problem {
    pub(crate) fn new(
        place: impl Into<String>,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { place: place.into(), reason: reason.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n    remedy: {}", self.place, self.reason, self.remedy)
    }
}

/// Fails the test with all problems at once.
#[track_caller]
pub(crate) fn none(mut problems: Vec<Problem>) {
    problems.sort();
    let lines: Vec<String> = problems.iter().map(|problem| format!("  {problem}")).collect();
    assert!(problems.is_empty(), "{} problem(s)\n{}", problems.len(), lines.join("\n"));
}
