//! An object without one of its members.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The object in `text` without the member `name`. The others stay as they are and where they are, also one that stands there
/// twice: whether it may is for whoever reads it to say.
pub(crate) fn without(text: &str, name: &str) -> Result<String, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let others = deserializer.deserialize_map(Others { name })?;
    deserializer.end().map(|()| others)
}

struct Others<'n> {
    name: &'n str,
}

impl<'de> Visitor<'de> for Others<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        #[derive(Deserialize)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

        let mut others = String::from("{");
        while let Some(Name(name)) = map.next_key::<Name<'de>>()? {
            if name == self.name {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: &'de RawValue = map.next_value()?;
            if others.len() > 1 {
                others.push(',');
            }
            let name = serde_json::to_string(&name).map_err(serde::de::Error::custom)?;
            others.extend([name.as_str(), ":", value.get()]);
        }
        others.push('}');
        Ok(others)
    }
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn the_others_stay_as_they_are_written() {
        for (object, expected) in [
            (r#"{"a":1.50}"#, r#"{"a":1.50}"#),
            (r#"{"b":1.50,"_meta":{"a":2},"a":"\u0041"}"#, r#"{"b":1.50,"a":"\u0041"}"#),
            (r#"{"a":1,"_meta":{},"\u0061":2,"_met\u0061":0,"a\"":3}"#, r#"{"a":1,"a":2,"a\"":3}"#),
            (r#" { "_meta" : {} } "#, "{}"),
        ] {
            assert_eq!(without(object, "_meta").ok().as_deref(), Some(expected), "{object}");
        }
        for none in ["[]", "", "{", "{} {}"] {
            assert!(without(none, "_meta").is_err(), "{none}");
        }
    }
}
