//! Names of secrets, policies and grants: checked once, at the edge.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name there may be.
const LONGEST: usize = 128;

/// The name of a secret: letters, digits, `.`, `_`, `/` and `-`, starting with a letter or digit, at most 128 of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretName(String);

/// The name of a policy, under the same rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PolicyName(String);

/// Which grant: eight random bytes, shown as sixteen hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantId(pub(crate) [u8; 8]);

/// Why a text is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It has no characters.
    #[error("a name cannot be empty; use letters, digits, `.`, `_`, `/` and `-`")]
    Empty,
    /// It has too many.
    #[error("a name has at most {LONGEST} characters, not {0}; choose a shorter one")]
    TooLong(usize),
    /// It starts with something other than a letter or digit.
    #[error("a name starts with a letter or digit, not `{0}`")]
    Start(char),
    /// It has a character that names do not have.
    #[error("a name has no `{0}`; use letters, digits, `.`, `_`, `/` and `-`")]
    Character(char),
    /// It is not the number of a grant.
    #[error("a grant is named by 16 hexadecimal digits, as `authy grant list` shows them")]
    NotAGrant,
    /// It is not the number of an approval.
    #[error("an approval is named by its number, as `authy approve` lists it")]
    NotAnApproval,
}

fn check(text: &str) -> Result<(), BadName> {
    let first = text.chars().next().ok_or(BadName::Empty)?;
    if !first.is_ascii_alphanumeric() {
        return Err(BadName::Start(first));
    }
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    match text.chars().find(|c| !allowed(c)) {
        Some(other) => Err(BadName::Character(other)),
        None if text.len() > LONGEST => Err(BadName::TooLong(text.len())),
        None => Ok(()),
    }
}

impl SecretName {
    /// Reads a name.
    pub fn new(text: impl Into<String>) -> Result<SecretName, BadName> {
        let text = text.into();
        check(&text).map(|()| SecretName(text))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PolicyName {
    /// Reads a name.
    pub fn new(text: impl Into<String>) -> Result<PolicyName, BadName> {
        let text = text.into();
        check(&text).map(|()| PolicyName(text))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SecretName {
    type Error = BadName;
    fn try_from(text: String) -> Result<SecretName, BadName> {
        SecretName::new(text)
    }
}

impl TryFrom<String> for PolicyName {
    type Error = BadName;
    fn try_from(text: String) -> Result<PolicyName, BadName> {
        PolicyName::new(text)
    }
}

impl FromStr for SecretName {
    type Err = BadName;
    fn from_str(text: &str) -> Result<SecretName, BadName> {
        SecretName::new(text)
    }
}

impl FromStr for PolicyName {
    type Err = BadName;
    fn from_str(text: &str) -> Result<PolicyName, BadName> {
        PolicyName::new(text)
    }
}

impl From<SecretName> for String {
    fn from(name: SecretName) -> String {
        name.0
    }
}

impl From<PolicyName> for String {
    fn from(name: PolicyName) -> String {
        name.0
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GrantId({self})")
    }
}

impl FromStr for GrantId {
    type Err = BadName;
    fn from_str(text: &str) -> Result<GrantId, BadName> {
        if text.len() != 16 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(BadName::NotAGrant);
        }
        u64::from_str_radix(text, 16).map(|id| GrantId(id.to_be_bytes())).map_err(|_| BadName::NotAGrant)
    }
}

impl Serialize for GrantId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{BadName, GrantId, SecretName};

    #[test]
    fn names_are_letters_digits_and_four_signs() {
        for good in ["a", "A1", "db-url", "prod/db_url", "v1.2", &"x".repeat(128)] {
            assert!(SecretName::new(good).is_ok(), "{good}");
        }
        assert_eq!(SecretName::new(""), Err(BadName::Empty));
        assert_eq!(SecretName::new("-a"), Err(BadName::Start('-')));
        assert_eq!(SecretName::new("A=B\nC"), Err(BadName::Character('=')));
        assert_eq!(SecretName::new("né"), Err(BadName::Character('é')));
        assert_eq!(SecretName::new("x".repeat(129)), Err(BadName::TooLong(129)));
    }

    #[test]
    fn a_grant_id_reads_back_what_it_prints() {
        let id = GrantId([0, 1, 2, 253, 254, 255, 16, 32]);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!("+123456789abcdef".parse::<GrantId>(), Err(BadName::NotAGrant));
    }
}
