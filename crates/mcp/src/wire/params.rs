//! The parameters of every method, read in one pass and borrowed from the line.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{kind, plain};

/// Every member of `params` that some method of the protocol reads, still as JSON text.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params<'a> {
    #[serde(borrow, default, rename = "_meta")]
    pub(crate) meta: Option<&'a RawValue>,
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
}

impl<'a> Params<'a> {
    pub(crate) fn read(raw: Option<&'a RawValue>) -> Result<Params<'a>, String> {
        match raw {
            None => Ok(Params::default()),
            Some(raw) => {
                serde_json::from_str(raw.get()).map_err(|error| format!("`params`: {}", plain(&error)))
            }
        }
    }

    pub(crate) fn meta(&self) -> Result<Meta<'a>, String> {
        match self.meta {
            None => Ok(Meta::default()),
            Some(raw) if raw.get().starts_with('{') => {
                serde_json::from_str(raw.get()).map_err(|error| format!("`params._meta`: {}", plain(&error)))
            }
            Some(raw) => Err(format!("`params._meta` must be an object, not {}", kind(raw))),
        }
    }
}

/// The members of `_meta` the protocol gives a meaning to.
#[derive(Deserialize, Default, Clone, Copy)]
pub(crate) struct Meta<'a> {
    #[serde(borrow, default, rename = "progressToken")]
    pub(crate) progress_token: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(crate) version: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(crate) capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    pub(crate) log_level: Option<&'a RawValue>,
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
        let message = Params::read(Some(&params)).expect("params").meta().err();
        assert_eq!(message.as_deref(), Some("`params._meta` must be an object, not a number"));
    }
}
