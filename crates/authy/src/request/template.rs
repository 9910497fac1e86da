//! Text with places for secrets in it.

use zeroize::Zeroizing;

/// What a place for a secret begins with.
const OPENS: &str = "{{secret:";
const CLOSES: &str = "}}";

/// Text with `{{secret:NAME}}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Secret(String),
}

/// Why a text cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTemplate {
    /// It begins and does not end.
    #[error("`{OPENS}` has no `{CLOSES}` behind it; write `{{{{secret:NAME}}}}`")]
    Open,
    /// There is no name in it, or no name can be like this.
    #[error("`{{{{secret:{0}}}}}` names no secret; `list_secrets` has the names there are")]
    Name(String),
}

impl Template {
    pub(super) fn parse(text: &str) -> Result<Template, BadTemplate> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPENS) {
            let (name, after) = after.split_once(CLOSES).ok_or(BadTemplate::Open)?;
            let proper = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
            if name.is_empty() || name.len() > 128 || !name.bytes().all(proper) {
                return Err(BadTemplate::Name(name.chars().take(128).collect()));
            }
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Secret(name.to_owned()));
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Template(parts))
    }

    /// The names in it.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text with the values in their places, each as `escape` writes it. The name of one that is missing otherwise.
    pub(super) fn fill<'v>(
        &self,
        value: impl Fn(&str) -> Option<&'v [u8]>,
        escape: fn(&[u8]) -> Zeroizing<Vec<u8>>,
    ) -> Result<Zeroizing<Vec<u8>>, String> {
        let mut parts = Vec::with_capacity(self.0.len());
        for part in &self.0 {
            parts.push(match part {
                Part::Text(text) => Zeroizing::new(text.clone().into_bytes()),
                Part::Secret(name) => escape(value(name).ok_or_else(|| name.clone())?),
            });
        }
        // Made in one piece: growing would leave copies behind.
        let mut filled = Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
        for part in parts {
            filled.extend_from_slice(&part);
        }
        Ok(filled)
    }
}

/// As it is.
pub(super) fn plain(value: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(value.to_vec())
}

/// As in a query or a form.
pub(super) fn for_url(value: &[u8]) -> Zeroizing<Vec<u8>> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut escaped = Zeroizing::new(Vec::with_capacity(value.len() * 3));
    for &byte in value {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(byte);
        } else {
            escaped.extend_from_slice(&[
                b'%',
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 15)],
            ]);
        }
    }
    escaped
}

/// As inside a JSON string. What is not text stays as it is.
pub(super) fn for_json(value: &[u8]) -> Zeroizing<Vec<u8>> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut escaped = Zeroizing::new(Vec::with_capacity(value.len() * 6));
    for &byte in value {
        match byte {
            b'"' | b'\\' => escaped.extend_from_slice(&[b'\\', byte]),
            0..=0x1f => {
                escaped.extend_from_slice(b"\\u00");
                escaped.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
            _ => escaped.push(byte),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{BadTemplate, Template, for_json, for_url, plain};

    fn fill(text: &str, escape: fn(&[u8]) -> zeroize::Zeroizing<Vec<u8>>) -> String {
        let template = Template::parse(text).expect(text);
        let value = |name: &str| (name == "a/b").then_some(&b"x\"y\n&z"[..]);
        String::from_utf8(template.fill(value, escape).expect("a value").to_vec()).expect("text")
    }

    #[test]
    fn values_are_put_in_their_places() {
        assert_eq!(fill("no {{place}} here", plain), "no {{place}} here");
        assert_eq!(fill("<{{secret:a/b}}|{{secret:a/b}}>", plain), "<x\"y\n&z|x\"y\n&z>");
        assert_eq!(fill("k={{secret:a/b}}", for_url), "k=x%22y%0A%26z");
        assert_eq!(fill(r#"{"k":"{{secret:a/b}}"}"#, for_json), r#"{"k":"x\"y\u000a&z"}"#);
        assert_eq!(
            Template::parse("{{secret:c}}").expect("a template").fill(|_| None, plain),
            Err("c".to_owned())
        );
    }

    #[test]
    fn what_is_no_place_is_refused() {
        assert_eq!(Template::parse("{{secret:a"), Err(BadTemplate::Open));
        for name in ["", "a b", "ä", "{{secret:x"] {
            assert_eq!(
                Template::parse(&format!("{{{{secret:{name}}}}}")),
                Err(BadTemplate::Name(name.to_owned()))
            );
        }
    }
}
