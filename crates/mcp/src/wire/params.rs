//! The parameters of every method, read in one pass and borrowed from the line.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{kind, plain};

/// Every member of `params` that some method of the protocol reads, still as JSON text.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params<'a> {
    #[serde(borrow, default, rename = "_meta")]
    pub(crate) meta: Option<FromObject<Meta<'a>>>,
    #[serde(borrow, default)]
    pub(crate) name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) uri: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) cursor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) input_responses: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) request_state: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) task_id: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "ref")]
    pub(crate) reference: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) argument: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) context: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) notifications: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) level: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) request_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) protocol_version: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) capabilities: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) client_info: Option<&'a RawValue>,
}

impl<'a> Params<'a> {
    /// `raw` must be an object.
    pub(crate) fn read(raw: Option<&'a RawValue>) -> Result<Params<'a>, String> {
        match raw {
            None => Ok(Params::default()),
            Some(raw) => serde_json::from_str(raw.get()).map_err(|error| fault(raw, &error)),
        }
    }
}

/// What is wrong with parameters that are an object: of all that is read here only `_meta` has a shape.
fn fault(params: &RawValue, error: &serde_json::Error) -> String {
    #[derive(Deserialize)]
    struct OnlyMeta<'a> {
        #[serde(borrow, default, rename = "_meta")]
        meta: Option<&'a RawValue>,
    }
    match serde_json::from_str(params.get()) {
        Ok(OnlyMeta { meta: Some(raw) }) if !raw.get().starts_with('{') => {
            format!("`params._meta` must be an object, not {}", kind(raw))
        }
        _ => format!("`params`: {}", plain(error)),
    }
}

/// A `T` from an object and nothing else: left to itself, serde takes an array for a struct as well.
#[derive(Clone, Copy, Default)]
pub(crate) struct FromObject<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FromObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = FromObject<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FromObject<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(FromObject)
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// The members of `_meta` the protocol gives a meaning to.
#[derive(Default, Clone, Copy)]
pub(crate) struct Meta<'a> {
    pub(crate) progress_token: Option<&'a RawValue>,
    pub(crate) version: Option<&'a RawValue>,
    pub(crate) capabilities: Option<&'a RawValue>,
    pub(crate) client_info: Option<&'a RawValue>,
    pub(crate) log_level: Option<&'a RawValue>,
    /// Whether there is more than these; see [`Request::other_meta`](crate::Request).
    pub(crate) has_others: bool,
}

#[derive(Deserialize)]
#[serde(field_identifier)]
enum MetaKey {
    #[serde(rename = "progressToken")]
    ProgressToken,
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    Version,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    Capabilities,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    ClientInfo,
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    LogLevel,
    #[serde(other)]
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for Meta<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Meta<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Meta<'de>, A::Error> {
                let mut meta = Meta::default();
                while let Some(key) = map.next_key()? {
                    let slot = match key {
                        MetaKey::ProgressToken => &mut meta.progress_token,
                        MetaKey::Version => &mut meta.version,
                        MetaKey::Capabilities => &mut meta.capabilities,
                        MetaKey::ClientInfo => &mut meta.client_info,
                        MetaKey::LogLevel => &mut meta.log_level,
                        MetaKey::Other => {
                            meta.has_others = true;
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    if slot.is_some() {
                        return Err(serde::de::Error::custom("a member of `_meta` is there twice"));
                    }
                    *slot = map.next_value()?;
                }
                Ok(meta)
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// The string this JSON text stands for, borrowed unless it has escapes; `None` when it is no string.
pub(crate) fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inside = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inside));
    }
    serde_json::from_str(raw.get()).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Params, text_of};

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    #[test]
    fn strings_with_escapes_are_decoded() {
        assert_eq!(text_of(&raw(r#""a\nb""#)).as_deref(), Some("a\nb"));
        assert_eq!(text_of(&raw("3")), None);
    }

    #[test]
    fn a_lone_surrogate_is_no_string() {
        assert_eq!(text_of(&raw(r#""\ud800""#)), None);
    }

    #[test]
    fn meta_must_be_an_object() {
        let params = raw(r#"{"_meta":7}"#);
        let message = Params::read(Some(&params)).err();
        assert_eq!(message.as_deref(), Some("`params._meta` must be an object, not a number"));
    }
}
