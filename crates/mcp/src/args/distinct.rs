//! JSON values whose objects have every name once. Of a name that stands there twice, whoever reads it next may take the
//! other value.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The value in `text`, or nothing where it is no JSON or a name stands in an object twice.
pub(super) fn parse(text: &str) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Distinct.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok().map(|()| value)
}

struct Distinct;

impl<'de> DeserializeSeed<'de> for Distinct {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Distinct {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Distinct)? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.insert(name, members.next_value_seed(Distinct)?).is_some() {
                return Err(A::Error::custom("a name stands in an object twice"));
            }
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::parse;

    #[test]
    fn every_value_is_read_as_it_is() {
        let text = r#"{"a":[null,true,-5,18446744073709551615,1.5,"é\n",{}],"b":{"a":{"a":[]}},"c":{"a":1}}"#;
        assert_eq!(parse(text), serde_json::from_str::<Value>(text).ok());
    }

    #[test]
    fn a_name_that_stands_there_twice_is_none_however_deep() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"c":2,"\u0061":null}}]"#, "[1", "{} {}"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
