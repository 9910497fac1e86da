//! Request ids, kept as the JSON text the client wrote, so that they are echoed exactly.

use std::fmt;

use serde_json::value::RawValue;

/// A request id: a JSON string or integer, as written by the client.
#[doc(alias = "RequestId")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id(Box<str>);

impl Id {
    /// Accepts the JSON text of a string, or of an integer from -2^63 to 2^64-1.
    pub fn from_json(text: &str) -> Option<Id> {
        is_legal(text).then(|| Id(text.into()))
    }

    /// The JSON text of the id.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.0)
    }
}

/// A legal id that borrows from the line it came on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdRef<'a>(&'a str);

impl<'a> IdRef<'a> {
    pub(crate) fn from_raw(raw: &'a RawValue) -> Option<IdRef<'a>> {
        is_legal(raw.get()).then(|| IdRef(raw.get()))
    }

    pub(crate) fn as_json(self) -> &'a str {
        self.0
    }

    pub(crate) fn to_owned(self) -> Id {
        Id(self.0.into())
    }
}

impl<'a> From<&'a Id> for IdRef<'a> {
    fn from(id: &'a Id) -> Self {
        IdRef(&id.0)
    }
}

/// `text` must already be valid JSON.
fn is_legal(text: &str) -> bool {
    match text.as_bytes() {
        [b'"', ..] => true,
        [b'-', ..] => text.parse::<i64>().is_ok(),
        // A fraction or an exponent is no integer, whatever its value; `parse` refuses both.
        _ => text.parse::<u64>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn integers_up_to_two_to_the_64_less_one_and_strings_are_ids() {
        for legal in ["0", "-1", "18446744073709551615", "-9223372036854775808", "\"a\"", "\"\""] {
            assert_eq!(Id::from_json(legal).expect(legal).as_json(), legal);
        }
    }

    #[test]
    fn null_fractions_and_objects_are_not_ids() {
        for illegal in ["null", "1.5", "1.0", "1e3", "{}", "[]", "true", "18446744073709551616"] {
            assert_eq!(Id::from_json(illegal), None, "{illegal}");
        }
    }
}
