//! A person's yes to one use of a secret.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::name::{BadName, GrantId, SecretName};
use crate::time::Timestamp;

/// Which request for a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApprovalId(pub(crate) i64);

/// A use that waits for a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PendingApproval {
    /// Which request.
    pub id: ApprovalId,
    /// Which secrets: all those of one use that want a yes.
    pub secrets: Vec<SecretName>,
    /// What for: a command, a host.
    pub purpose: String,
    /// Who asks; `None` is a session of the owner.
    pub grant: Option<GrantId>,
    /// When it was asked for.
    pub asked: Timestamp,
    /// When it is forgotten.
    pub expires: Timestamp,
    /// What it is about, exactly: an answer is to this and nothing else.
    #[serde(skip)]
    pub(crate) subject: [u8; 32],
}

impl PendingApproval {
    /// The names of its secrets.
    pub fn names(&self) -> String {
        self.secrets.iter().map(SecretName::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Yes, once.
    Approve,
    /// No.
    Deny,
}

/// A text as a person reads it: nothing in it moves, hides or looks like something else. Control characters, and those that
/// change the direction of what follows or have no width, are written by their number.
pub fn readable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        // The standard library knows what cannot be printed, and what only changes the letter before it; these look like
        // nothing although they count as letters and signs.
        let odd = !matches!(c, '"' | '\'' | '\\') && c.escape_debug().len() > 1;
        let hidden = odd || matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}');
        if hidden {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ApprovalId {
    type Err = BadName;
    fn from_str(text: &str) -> Result<ApprovalId, BadName> {
        text.parse().map(ApprovalId).map_err(|_| BadName::NotAnApproval)
    }
}

impl Serialize for ApprovalId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn nothing_in_a_shown_text_moves_or_hides() {
        assert_eq!(
            readable("a\u{202e}b\nc\u{1b}[2Jd\u{200b}é 日 \"'\\"),
            "a\\u{202e}b\\u{a}c\\u{1b}[2Jd\\u{200b}é 日 \"'\\"
        );
        for hidden in "\u{a0}\u{2003}\u{2800}\u{3000}\u{3164}\u{ad}\u{1bca0}\u{1d173}\u{e0041}\u{300}".chars()
        {
            assert!(readable(&hidden.to_string()).starts_with("\\u{"), "{hidden:?}");
        }
    }
}
