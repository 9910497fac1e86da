//! A secret value: wiped when dropped, never printed.

use std::fmt;

use zeroize::Zeroizing;

/// The most bytes a value may have.
pub const LONGEST_VALUE: usize = 64 * 1024;

/// What a secret is. It has no `Display`, and `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretValue(Zeroizing<Vec<u8>>);

/// Why something is no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadValue {
    /// It has too many bytes.
    #[error(
        "a value has at most {LONGEST_VALUE} bytes, not {0}; keep large things in a file and its key here"
    )]
    TooLong(usize),
    /// It is asked for as text and is none.
    #[error("the value is not text but other bytes; read it with `authy get --output FILE`")]
    NotText,
}

impl SecretValue {
    /// Takes the bytes over; they are wiped when the value is dropped.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<SecretValue, BadValue> {
        let bytes = Zeroizing::new(bytes.into());
        if bytes.len() > LONGEST_VALUE {
            return Err(BadValue::TooLong(bytes.len()));
        }
        Ok(SecretValue(bytes))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The value as text.
    pub fn as_text(&self) -> Result<&str, BadValue> {
        std::str::from_utf8(&self.0).map_err(|_| BadValue::NotText)
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::{BadValue, LONGEST_VALUE, SecretValue};

    #[test]
    fn debug_shows_nothing_of_it() {
        let value = SecretValue::new("hunter2").expect("short");
        assert_eq!(format!("{value:?}"), "SecretValue(…)");
    }

    #[test]
    fn its_size_is_bounded() {
        assert!(SecretValue::new(vec![0; LONGEST_VALUE]).is_ok());
        let long = SecretValue::new(vec![0; LONGEST_VALUE + 1]);
        assert_eq!(long.err(), Some(BadValue::TooLong(LONGEST_VALUE + 1)));
    }
}
