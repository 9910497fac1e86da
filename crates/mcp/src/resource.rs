//! What a resource is: an address or a pattern of addresses, and a way to read it.

use std::future::Future;

use crate::content::{Completion, Item};
use crate::cx::Cx;
use crate::fail::Stop;
use crate::service::Completing;
use crate::tool::Run;

/// A resource, or a family of them, of a server whose state is `S`.
pub trait Resource<S>: Send + Sync + 'static {
    /// What the client is told about it.
    const ABOUT: ResourceAbout;
    /// Where it runs.
    const RUN: Run = Run::Async;

    /// Reads it.
    fn read(&self, state: &S, cx: &Cx, at: Address) -> impl Future<Output = Result<Vec<Item>, Stop>> + Send;

    /// Suggestions for a variable of the pattern.
    fn complete(&self, state: &S, typed: Completing<'_>) -> Completion {
        let _ = (state, typed);
        Completion::default()
    }
}

/// What the client is told about a resource.
#[doc(alias("Resource", "ResourceTemplate"))]
#[derive(Debug, Clone, Copy)]
pub struct ResourceAbout {
    /// An address, or a pattern with variables: `screenshots://{id}/ocr`.
    pub uri: &'static str,
    /// A short name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// Its media type.
    pub mime: &'static str,
    /// Whether [`Resource::complete`] has suggestions.
    pub completes: bool,
    /// JSON text passed through as `_meta`.
    pub meta: Option<&'static str>,
}

/// The address that was requested, and what stood for the variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// As the client wrote it.
    pub uri: String,
    variables: Vec<(String, String)>,
}

impl Address {
    /// What stood for `{name}`, percent-decoded; empty when the pattern has no such variable.
    pub fn variable(&self, name: &str) -> &str {
        self.variables.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Everything in it that the client wrote.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        [self.uri.as_str()].into_iter().chain(self.variables.iter().map(|(_, value)| value.as_str()))
    }

    /// Matches an address against a pattern. A variable takes one segment: it is not empty and has no `/`.
    pub(crate) fn matching(pattern: &str, uri: &str) -> Option<Address> {
        let mut variables = Vec::new();
        let mut rest = uri;
        let mut pieces = pattern.split('{');
        rest = rest.strip_prefix(pieces.next()?)?;
        for piece in pieces {
            let (name, literal) = piece.split_once('}')?;
            let end =
                if literal.is_empty() { rest.find('/').unwrap_or(rest.len()) } else { rest.find(literal)? };
            let value = rest.get(..end).filter(|value| !value.is_empty() && !value.contains('/'))?;
            variables.push((name.to_owned(), percent_decode(value)?));
            rest = rest.get(end..)?.strip_prefix(literal)?;
        }
        rest.is_empty().then(|| Address { uri: uri.to_owned(), variables })
    }
}

fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn a_pattern_takes_whole_segments() {
        let pattern = "screenshots://{id}/ocr";
        let found = Address::matching(pattern, "screenshots://a%20b/ocr").expect("match");
        assert_eq!(found.variable("id"), "a b");
        for other in
            ["screenshots://a", "screenshots:///ocr", "screenshots://a/b/ocr", "screenshots://a/ocr/x"]
        {
            assert_eq!(Address::matching(pattern, other), None, "{other}");
        }
    }

    #[test]
    fn an_address_without_variables_matches_itself_only() {
        assert!(Address::matching("a://b", "a://b").is_some());
        assert!(Address::matching("a://b", "a://bc").is_none());
        assert!(Address::matching("a://{x}", "a://%zz").is_none());
    }
}
