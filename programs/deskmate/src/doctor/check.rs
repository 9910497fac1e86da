//! One row of the report.

use schemars::JsonSchema;
use serde::Serialize;

/// How it is with one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It works.
    Ok,
    /// It was never set up, and nothing is wrong with that.
    NotSetUp,
    /// It was set up and does not work.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was looked at.
    pub check: String,
    /// How it is.
    pub status: Status,
    /// What was found.
    pub found: String,
    /// The one step that changes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The servers that cannot do their work without it.
    #[serde(skip)]
    pub stops: &'static [&'static str],
}

impl Check {
    /// It works.
    pub fn ok(check: impl Into<String>, found: impl Into<String>) -> Check {
        Check { check: check.into(), status: Status::Ok, found: found.into(), fix: None, stops: &[] }
    }

    /// It was never set up.
    pub fn not_set_up(check: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Check {
        Check { status: Status::NotSetUp, fix: Some(fix.into()), ..Check::ok(check, found) }
    }

    /// It does not work.
    pub fn problem(check: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Check {
        Check { status: Status::Problem, fix: Some(fix.into()), ..Check::ok(check, found) }
    }

    /// These servers cannot do their work unless it works.
    pub fn stops(self, servers: &'static [&'static str]) -> Check {
        Check { stops: servers, ..self }
    }

    /// Splits an error of this repository: what is wrong comes first, and after the last semicolon what to do.
    pub fn problem_of(check: impl Into<String>, error: &str, otherwise: &str) -> Check {
        match error.rsplit_once("; ") {
            Some((found, fix)) => Check::problem(check, found, fix),
            None => Check::problem(check, error, otherwise),
        }
    }
}
