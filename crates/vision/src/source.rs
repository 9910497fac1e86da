//! What a caller named: a file, a URL, or the bytes themselves.

use std::path::PathBuf;

use bytes::Bytes;
use url::Url;

use crate::error::Error;

/// The most characters of a source that are repeated to the caller.
const MOST_NAMED: usize = 200;

/// What a caller named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file on this machine.
    File(PathBuf),
    /// Something to fetch.
    Web(Url),
    /// The bytes themselves.
    Inline(Bytes),
}

/// What kind of thing a caller named, before anything is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SourceKind {
    File(PathBuf),
    Web,
    Inline,
    Unknown,
}

impl Source {
    /// What kind of thing this is.
    pub(crate) fn kind(text: &str) -> SourceKind {
        let Some((scheme, _)) = scheme(text) else { return SourceKind::File(PathBuf::from(text)) };
        match scheme.as_str() {
            "data" => SourceKind::Inline,
            "http" | "https" => SourceKind::Web,
            "file" => {
                let path = Url::parse(text).ok().and_then(|url| url.to_file_path().ok());
                path.map_or(SourceKind::Unknown, SourceKind::File)
            }
            _ => SourceKind::Unknown,
        }
    }

    /// Reads what a caller named. A `data:` URL may hold at most `limit` bytes; what it says about their type is not
    /// believed.
    pub fn parse(text: &str, limit: usize) -> Result<Source, Error> {
        let Some((scheme, rest)) = scheme(text) else { return Ok(Source::File(PathBuf::from(text))) };
        match scheme.as_str() {
            "data" => inline(rest, limit).map(Source::Inline),
            "http" | "https" => Ok(Source::Web(Url::parse(text).map_err(fetch::FetchError::Url)?)),
            "file" => {
                let path = Url::parse(text).ok().and_then(|url| url.to_file_path().ok());
                path.map(Source::File).ok_or_else(|| Error::FileUrl(named(text)))
            }
            _ => Err(Error::Scheme(scheme)),
        }
    }
}

/// How a source is called when the caller is told about it.
pub fn named(text: &str) -> String {
    if scheme(text).is_some_and(|(scheme, _)| scheme == "data") {
        return "the data: URL".to_owned();
    }
    // What follows the question mark may be a credential.
    let text = if text.contains("://") { text.split(['?', '#']).next().unwrap_or_default() } else { text };
    match text.char_indices().nth(MOST_NAMED) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// The scheme in lower case, and what follows it. One letter is a drive of Windows.
fn scheme(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    is_scheme.then(|| (scheme.to_ascii_lowercase(), rest))
}

fn inline(rest: &str, limit: usize) -> Result<Bytes, Error> {
    let (kind, data) = rest.split_once(',').ok_or(Error::Data("there is no comma in it"))?;
    if !kind.to_ascii_lowercase().ends_with(";base64") {
        return Err(Error::Data("it does not say `;base64`"));
    }
    if data.len() / 4 * 3 > limit + 3 {
        return Err(Error::TooLarge { source_name: "the data: URL".to_owned(), limit });
    }
    // Some write the alphabet of URLs, some leave the padding out, some break lines.
    let plain: Vec<u8> = data
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=')
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    let bytes = base64_simd::STANDARD_NO_PAD
        .decode_to_vec(&plain)
        .map_err(|_| Error::Data("it is not base64 behind the comma"))?;
    if bytes.is_empty() {
        return Err(Error::Data("there is nothing behind the comma"));
    }
    if bytes.len() > limit {
        return Err(Error::TooLarge { source_name: "the data: URL".to_owned(), limit });
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use bytes::Bytes;

    use super::{Source, named};
    use crate::error::Error;

    fn parse(text: &str) -> Result<Source, Error> {
        Source::parse(text, 100)
    }

    #[test]
    fn paths_urls_and_data_are_told_apart() {
        for path in ["/a/b.png", "a.png", "C:\\a.png", "/a:b.png", "/a b%20c.png"] {
            assert_eq!(parse(path).expect(path), Source::File(PathBuf::from(path)));
        }
        assert_eq!(parse("file:///a%20b.png").expect("a file"), Source::File(PathBuf::from("/a b.png")));
        assert!(matches!(parse("HTTPS://example.com/a.png"), Ok(Source::Web(_))));
        assert!(matches!(parse("file://elsewhere/a.png"), Err(Error::FileUrl(_))));
        assert!(matches!(parse("ftp://example.com/a.png"), Err(Error::Scheme(_))));
        assert!(matches!(parse("http://"), Err(Error::Fetch(_))));
    }

    #[test]
    fn data_is_read_however_it_is_written() {
        let expected = Source::Inline(Bytes::from_static(&[0xfb, 0xff, 0xbe, 1]));
        for text in ["+/++AQ==", "-_--AQ", "+/+\n+AQ==", " +/++AQ"] {
            assert_eq!(parse(&format!("data:image/png;base64,{text}")).expect(text), expected);
        }
        assert_eq!(parse("DATA:;BASE64,+/++AQ==").expect("capitals"), expected);
        for text in ["data:image/png,abc", "data:image/png;base64", "data:;base64,%%%", "data:;base64,"] {
            assert!(matches!(parse(text), Err(Error::Data(_))), "{text}");
        }
        let long = format!("data:;base64,{}", "A".repeat(400));
        assert!(matches!(parse(&long), Err(Error::TooLarge { limit: 100, .. })));
    }

    #[test]
    fn what_is_repeated_is_short_and_holds_no_query() {
        assert_eq!(named("https://a.example/b.png?token=secret"), "`https://a.example/b.png`");
        assert_eq!(named("data:image/png;base64,AAAA"), "the data: URL");
        assert!(named(&"x".repeat(5000)).len() < 300);
        assert_eq!(named("/why?.png"), "`/why?.png`");
    }
}
