//! A result of another server, taken apart once: it may be a picture of many megabytes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::wipe::Wiped;

/// How many members a result may have; no revision has ten. Each takes more room than the few letters it may be.
const MOST_MEMBERS: usize = 1_000;

/// A result object of 2026-07-28 from another server. Its memory is overwritten when it is dropped.
#[derive(Debug)]
pub struct Relayed {
    text: Wiped,
    members: Vec<Member>,
}

/// Where a name and its value stand in the text.
#[derive(Debug)]
struct Member {
    name: Range<usize>,
    value: Range<usize>,
}

impl Relayed {
    /// Takes the JSON text of an object.
    pub fn new(result: impl Into<Vec<u8>>) -> Result<Relayed, serde_json::Error> {
        Relayed::read(Wiped::from(result.into()))
    }

    pub(crate) fn read(text: Wiped) -> Result<Relayed, serde_json::Error> {
        let Members(found) = serde_json::from_slice(text.bytes())?;
        let place = |(name, value): (&str, &RawValue)| Member {
            name: text.range_of(name),
            value: text.range_of(value.get()),
        };
        let members = found.into_iter().map(place).collect();
        Ok(Relayed { text, members })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &[u8] {
        self.text.bytes()
    }

    /// The names and the JSON of its members, in their order. A name that is written with escapes is left out: no revision
    /// has one.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let at = |part: &Range<usize>| self.text().get(part.clone()).unwrap_or_default();
        self.members.iter().map(move |Member { name, value }| (at(name), at(value)))
    }

    /// The JSON of a member. There is none where it is `null`, or stands there twice: nobody knows which one counts.
    pub(crate) fn member(&self, name: &str) -> Option<&[u8]> {
        let mut values =
            self.members().filter(|(known, _)| *known == name.as_bytes()).map(|(_, value)| value);
        let value = values.next().filter(|value| *value != b"null")?;
        values.next().is_none().then_some(value)
    }
}

struct Members<'a>(Vec<(&'a str, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    if members.len() == MOST_MEMBERS {
                        return Err(A::Error::custom(format_args!("more than {MOST_MEMBERS} members")));
                    }
                    if let Cow::Borrowed(name) = name {
                        members.push((name, value));
                    }
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_MEMBERS, Relayed};

    #[test]
    fn members_are_found_in_their_order() {
        let relayed =
            Relayed::new(r#" {"b":[1,{"a":2}], "a" : "x", "c\u0041":1, "d":null}"#).expect("an object");
        let members: Vec<_> =
            relayed.members().map(|(name, value)| [name, value].map(String::from_utf8_lossy)).collect();
        assert_eq!(members, [["b", r#"[1,{"a":2}]"#], ["a", r#""x""#], ["d", "null"]]);
        assert_eq!(relayed.member("a"), Some(&br#""x""#[..]));
        assert_eq!((relayed.member("d"), relayed.member("e")), (None, None));
    }

    #[test]
    fn what_stands_there_twice_is_not_there() {
        let relayed = Relayed::new(r#"{"content":[1],"content":[2]}"#).expect("an object");
        assert_eq!(relayed.member("content"), None);
    }

    #[test]
    fn no_result_has_members_without_number() {
        let with = |count: usize| {
            let members: Vec<String> = (0..count).map(|count| format!("\"{count}\":0")).collect();
            Relayed::new(format!("{{{}}}", members.join(",")))
        };
        assert!(with(MOST_MEMBERS).is_ok());
        assert!(
            with(MOST_MEMBERS + 1).is_err_and(|error| error.to_string().contains("more than 1000 members"))
        );
    }

    #[test]
    fn only_objects_are_results() {
        for text in ["[]", "1", "", "{", "null", "{} {}"] {
            assert!(Relayed::new(text).is_err(), "{text}");
        }
    }
}
