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
    /// Which secret.
    pub secret: SecretName,
    /// What for: a command, a host.
    pub purpose: String,
    /// Who asks; `None` is a session of the owner.
    pub grant: Option<GrantId>,
    /// When it was asked for.
    pub asked: Timestamp,
    /// When it is forgotten.
    pub expires: Timestamp,
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
        let hidden = c.is_control()
            || matches!(c,
                '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
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
            readable("a\u{202e}b\nc\u{1b}[2Jd\u{200b}é 日"),
            "a\\u{202e}b\\u{a}c\\u{1b}[2Jd\\u{200b}é 日"
        );
    }
}
