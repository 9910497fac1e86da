//! The small change of XML: attributes with their places, character references, namespaces in force.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::XmpError;
use super::property::Property;
use crate::text;

/// An attribute of a start tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    /// As it is written, without the quotes.
    pub(super) raw: &'a str,
    /// Where it is in the packet, with the space before it.
    pub(super) span: Range<usize>,
}

impl Attribute<'_> {
    pub(super) fn value(&self) -> Result<String, XmpError> {
        let text = unescape(self.raw)?;
        Ok(text.replace(['\t', '\n', '\r'], " "))
    }
}

pub(super) fn malformed(reason: impl Into<String>) -> XmpError {
    XmpError::Malformed { reason: reason.into() }
}

/// The name in a start or end tag, which is the tag itself with its brackets.
pub(super) fn tag_name(tag: &str) -> &str {
    let inner = tag.trim_start_matches(['<', '/']);
    let end = inner.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(inner.len());
    &inner[..end]
}

/// More attributes of one element than any real packet has; each costs memory besides its bytes.
const MOST_ATTRIBUTES: usize = 1 << 16;

/// The attributes of a start tag that begins at `base`.
pub(super) fn attributes(tag: &str, base: usize) -> Result<Vec<Attribute<'_>>, XmpError> {
    let bad = || malformed(format!("a damaged attribute near byte {base}"));
    let body = tag.strip_suffix("/>").or_else(|| tag.strip_suffix('>')).ok_or_else(bad)?;
    let mut at = 1 + tag_name(tag).len();
    let mut found = Vec::new();
    loop {
        let start = at;
        let rest = body.get(at..).ok_or_else(bad)?;
        let trimmed = rest.trim_ascii_start();
        if trimmed.is_empty() {
            return Ok(found);
        }
        if found.len() == MOST_ATTRIBUTES {
            return Err(XmpError::TooMuch { limit: "65,536 attributes of an element" });
        }
        let (name, after) = trimmed.split_once('=').ok_or_else(bad)?;
        let quoted = after.trim_ascii_start();
        let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(bad)?;
        let (raw, rest) = quoted.get(1..).and_then(|value| value.split_once(quote)).ok_or_else(bad)?;
        at = body.len() - rest.len();
        let name = name.trim_ascii_end();
        if name.is_empty() || name.contains(|c: char| c.is_ascii_whitespace() || "\"'<&".contains(c)) {
            return Err(bad());
        }
        found.push(Attribute { name, raw, span: base + start..base + at });
    }
}

/// Resolves character references and the five entities every XML has. Others are not expanded: a packet that needs
/// them for a value of ours cannot be read.
pub(super) fn unescape(raw: &str) -> Result<Cow<'_, str>, XmpError> {
    if !raw.contains('&') {
        return Ok(Cow::Borrowed(raw));
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let (entity, behind) = after.split_once(';').ok_or_else(|| malformed("`&` without `;`"))?;
        text.push(resolve(entity)?);
        rest = behind;
    }
    text.push_str(rest);
    Ok(Cow::Owned(text))
}

/// The same of a single reference.
pub(super) fn reference(raw: &str) -> Result<char, XmpError> {
    let entity = raw.strip_prefix('&').and_then(|raw| raw.strip_suffix(';'));
    resolve(entity.ok_or_else(|| malformed("`&` without `;`"))?)
}

fn resolve(entity: &str) -> Result<char, XmpError> {
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let letter = match entity.as_bytes() {
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"amp" => Some('&'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        [b'#', b'x', ..] => number(&entity[2..], 16),
        [b'#', ..] => number(&entity[1..], 10),
        _ => None,
    };
    letter.ok_or_else(|| malformed("an unknown entity in a value"))
}

/// Writes a text so that any XML reader gets it back. A bare carriage return would become a line feed, and what
/// XML cannot hold is left out.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text::legal(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\r' => escaped.push_str("&#xD;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// More declarations in force at one place than any real packet has.
const MOST_NAMESPACES: usize = 512;

/// The namespaces in force, innermost last.
#[derive(Default)]
pub(super) struct Namespaces<'a> {
    declared: Vec<(usize, &'a str, String)>,
    /// Which of them each prefix means, innermost last.
    by_prefix: HashMap<&'a str, Vec<usize>>,
    /// The first prefix of each namespace that was ever in force, if anybody can write it.
    prefixes: BTreeMap<String, &'a str>,
}

impl<'a> Namespaces<'a> {
    pub(super) fn declare(&mut self, depth: usize, attributes: &[Attribute<'a>]) -> Result<(), XmpError> {
        for attribute in attributes {
            let prefix = match attribute.name.strip_prefix("xmlns") {
                Some("") => "",
                Some(rest) if rest.starts_with(':') => &rest[1..],
                _ => continue,
            };
            if self.declared.len() == MOST_NAMESPACES {
                return Err(XmpError::TooMuch { limit: "512 namespaces" });
            }
            let namespace = attribute.value()?;
            // Of those that nothing of ours is in, a packet may have megabytes.
            if is_plain(prefix) && Property::is_namespace(&namespace) {
                self.prefixes.entry(namespace.clone()).or_insert(prefix);
            }
            self.by_prefix.entry(prefix).or_default().push(self.declared.len());
            self.declared.push((depth, prefix, namespace));
        }
        Ok(())
    }

    /// The first prefix of each namespace that was ever in force, if anybody can write it.
    pub(super) fn prefixes(self) -> BTreeMap<String, String> {
        self.prefixes.into_iter().map(|(namespace, prefix)| (namespace, prefix.to_owned())).collect()
    }

    pub(super) fn leave(&mut self, depth: usize) {
        while let Some((_, prefix, _)) = self.declared.pop_if(|(at, ..)| *at >= depth) {
            if let Some(places) = self.by_prefix.get_mut(prefix) {
                places.pop();
            }
        }
    }

    /// The namespace and local name of an element. Attributes without a prefix have no namespace: ask for those with
    /// [`Self::attribute`].
    pub(super) fn element<'n>(&self, name: &'n str) -> (&str, &'n str) {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        (self.lookup(prefix), local)
    }

    pub(super) fn attribute<'n>(&self, name: &'n str) -> (&str, &'n str) {
        match name.split_once(':') {
            Some((prefix, local)) => (self.lookup(prefix), local),
            None => ("", name),
        }
    }

    /// Every prefix that means something here, with its namespace; a later declaration comes after those it hides.
    pub(super) fn in_force(&self) -> Vec<(String, String)> {
        self.declared.iter().map(|(_, prefix, uri)| ((*prefix).to_owned(), uri.clone())).collect()
    }

    fn lookup(&self, prefix: &str) -> &str {
        let place = self.by_prefix.get(prefix).and_then(|places| places.last());
        place.and_then(|at| self.declared.get(*at)).map_or("", |(.., uri)| uri.as_str())
    }
}

/// Whether a prefix of a packet can be taken for other elements. The tokenizer lets much through that is no name.
fn is_plain(prefix: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    prefix.starts_with(|c: char| c.is_ascii_alphabetic())
        && prefix.chars().all(is_name)
        && !prefix.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("xml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_have_their_places() {
        let tag = "<a:b  c = 'x>\"' \n d:e=\"&lt;\"/>";
        let found = attributes(tag, 100).unwrap();
        let names: Vec<&str> = found.iter().map(|a| a.name).collect();
        assert_eq!(names, ["c", "d:e"]);
        assert_eq!(found[1].value().unwrap(), "<");
        assert_eq!(&tag[found[1].span.start - 100..found[1].span.end - 100], " \n d:e=\"&lt;\"");
        for bad in ["<a b>", "<a b=c>", "<a b=\"c>", "<a =\"c\">", "<a b c=\"d\">"] {
            assert!(attributes(bad, 0).is_err(), "{bad}");
        }
    }

    #[test]
    fn references_are_resolved_but_own_entities_are_not() {
        assert_eq!(unescape("a&amp;b&#x5BB6;&#65;&quot;").unwrap(), "a&b家A\"");
        for bad in ["&bomb;", "&", "&#xD800;", "&#x110000;", "&#;"] {
            assert!(unescape(bad).is_err(), "{bad}");
        }
        let text = "a<b>&\r\n\"'";
        assert_eq!(unescape(&escape(text)).unwrap(), text);
    }
}
