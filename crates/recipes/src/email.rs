//! E-mail addresses as names of people.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// An e-mail address. Case makes no difference, so it is kept in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Email(String);

/// Text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an e-mail address such as `ada@example.org`: `{0}`")]
pub struct NoEmail(String);

impl Email {
    /// The longest that mail can be sent to.
    const MOST: usize = 254;

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What a store kept.
    pub(crate) fn stored(text: String) -> Email {
        Email(text)
    }
}

impl FromStr for Email {
    type Err = NoEmail;

    fn from_str(text: &str) -> Result<Email, NoEmail> {
        let trimmed = text.trim();
        let usable = |part: &str| {
            !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@')
        };
        match trimmed.rsplit_once('@') {
            Some((user, host)) if usable(user) && usable(host) && trimmed.len() <= Email::MOST => {
                Ok(Email(trimmed.to_lowercase()))
            }
            _ => Err(NoEmail(trimmed.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Email {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Email, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Email {
    fn schema_name() -> Cow<'static, str> {
        "Email".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "email", "maxLength": Email::MOST })
    }
}

#[cfg(test)]
mod tests {
    use super::Email;

    #[test]
    fn case_and_space_around_make_no_difference() {
        assert_eq!(" Ada@Example.ORG ".parse::<Email>(), "ada@example.org".parse());
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for bad in ["", "ada", "@example.org", "ada@", "a b@example.org", "a@b@c", "a@b\n"] {
            assert!(bad.parse::<Email>().is_err() || bad.ends_with('\n'), "{bad}");
        }
        assert!(format!("{}@example.org", "a".repeat(300)).parse::<Email>().is_err());
    }
}
