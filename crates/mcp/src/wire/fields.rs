//! Members of `params` as the type they must have, or what is wrong with them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::code;
use crate::echo::shown;
use crate::fail::Fail;

use super::{kind, plain, text_of};

pub(crate) fn invalid_params(message: impl Into<String>) -> Fail {
    Fail::rpc(code::INVALID_PARAMS, message)
}

pub(crate) fn optional_text<'a>(
    field: Option<&'a RawValue>,
    name: &str,
) -> Result<Option<Cow<'a, str>>, Fail> {
    match field {
        None => Ok(None),
        Some(raw) => match text_of(raw) {
            Some(text) => Ok(Some(text)),
            None => Err(invalid_params(format!("`params.{name}` must be a string, not {}", kind(raw)))),
        },
    }
}

pub(crate) fn required_text<'a>(field: Option<&'a RawValue>, name: &str) -> Result<Cow<'a, str>, Fail> {
    optional_text(field, name)?
        .ok_or_else(|| invalid_params(format!("`params.{name}` is missing: a string is required")))
}

pub(crate) fn optional_object<'a>(
    field: Option<&'a RawValue>,
    name: &str,
) -> Result<Option<&'a RawValue>, Fail> {
    match field {
        Some(raw) if !raw.get().starts_with('{') => {
            Err(invalid_params(format!("`params.{name}` must be an object, not {}", kind(raw))))
        }
        other => Ok(other),
    }
}

pub(crate) fn required_object<'a, T: Deserialize<'a>>(
    field: Option<&'a RawValue>,
    name: &str,
) -> Result<T, Fail> {
    let Some(raw) = optional_object(field, name)? else {
        return Err(invalid_params(format!("`params.{name}` is missing: an object is required")));
    };
    serde_json::from_str(raw.get())
        .map_err(|error| invalid_params(format!("`params.{name}`: {}", shown(&plain(&error)))))
}
