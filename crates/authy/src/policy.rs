//! Policies: which names a scope covers. Deny wins, and what no pattern names is denied.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};

use crate::name::{PolicyName, SecretName};
use crate::time::Timestamp;

/// The most patterns a policy may have, and the most characters a pattern.
const MOST_PATTERNS: usize = 256;
const LONGEST_PATTERN: usize = 256;

/// A policy as its owner wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// What it is called.
    pub name: PolicyName,
    /// What it is for.
    pub description: Option<String>,
    /// Patterns of names it covers. `*` matches `/`, too.
    pub allow: Vec<String>,
    /// Patterns of names it does not cover, whatever `allow` says.
    pub deny: Vec<String>,
    /// Whether a grant of it never reveals values, whatever its capabilities.
    pub run_only: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last changed.
    pub modified: Timestamp,
}

/// A policy about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPolicy {
    /// What it is called.
    pub name: PolicyName,
    /// What it is for.
    pub description: Option<String>,
    /// Patterns of names it covers.
    pub allow: Vec<String>,
    /// Patterns of names it does not cover.
    pub deny: Vec<String>,
    /// Whether a grant of it never reveals values.
    pub run_only: bool,
}

/// What is to be different about a policy; `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyChange {
    /// A new description.
    pub description: Option<String>,
    /// New patterns instead of the old.
    pub allow: Option<Vec<String>>,
    /// New patterns instead of the old.
    pub deny: Option<Vec<String>>,
    /// Whether a grant of it never reveals values.
    pub run_only: Option<bool>,
}

/// Why patterns are none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// It cannot be read.
    #[error("`{pattern}` is not a pattern: {reason}; write for example `prod/*` or `db-{{url,password}}`")]
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It is too long.
    #[error("a pattern has at most {LONGEST_PATTERN} characters; split it")]
    TooLong,
    /// There are too many.
    #[error("a policy has at most {MOST_PATTERNS} patterns of a kind; make two policies")]
    TooMany,
}

/// A policy that can be asked.
#[derive(Debug, Clone)]
pub struct Matcher {
    allow: GlobSet,
    deny: GlobSet,
}

impl Matcher {
    /// Compiles the patterns.
    pub fn new(allow: &[String], deny: &[String]) -> Result<Matcher, BadPattern> {
        Ok(Matcher { allow: compile(allow)?, deny: compile(deny)? })
    }

    /// Whether the policy covers this name.
    pub fn covers(&self, name: &SecretName) -> bool {
        self.allow.is_match(name.as_str()) && !self.deny.is_match(name.as_str())
    }
}

impl Policy {
    /// Compiles it, to ask about many names.
    pub fn matcher(&self) -> Result<Matcher, BadPattern> {
        Matcher::new(&self.allow, &self.deny)
    }
}

fn compile(patterns: &[String]) -> Result<GlobSet, BadPattern> {
    if patterns.len() > MOST_PATTERNS {
        return Err(BadPattern::TooMany);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        if pattern.len() > LONGEST_PATTERN {
            return Err(BadPattern::TooLong);
        }
        let bad = |error: &globset::Error| BadPattern::Syntax {
            pattern: pattern.clone(),
            reason: error.kind().to_string(),
        };
        let glob = GlobBuilder::new(pattern).literal_separator(false).build();
        set.add(glob.map_err(|error| bad(&error))?);
    }
    set.build().map_err(|error| BadPattern::Syntax {
        pattern: error.glob().unwrap_or_default().to_owned(),
        reason: error.kind().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::{BadPattern, Matcher};
    use crate::name::SecretName;

    fn covers(allow: &[&str], deny: &[&str], name: &str) -> bool {
        let own = |patterns: &[&str]| patterns.iter().map(|each| (*each).to_owned()).collect::<Vec<_>>();
        let matcher = Matcher::new(&own(allow), &own(deny)).expect("patterns");
        matcher.covers(&SecretName::new(name).expect("a name"))
    }

    #[test]
    fn what_no_pattern_names_is_denied() {
        assert!(!covers(&[], &[], "a"));
        assert!(!covers(&["dev-*"], &[], "prod-db"));
        assert!(covers(&["dev-*"], &[], "dev-db"));
    }

    #[test]
    fn deny_wins() {
        assert!(!covers(&["*"], &["prod-*"], "prod-db"));
        assert!(covers(&["*"], &["prod-*"], "dev-db"));
    }

    #[test]
    fn a_star_crosses_slashes() {
        assert!(covers(&["prod*"], &[], "prod/db/url"));
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        let bad = Matcher::new(&["a[".to_owned()], &[]).expect_err("no pattern");
        assert!(matches!(bad, BadPattern::Syntax { pattern, .. } if pattern == "a["));
    }
}
