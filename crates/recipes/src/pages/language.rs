//! The language of the pages: the browser says which one its person reads.

mod german;

use web::axum::extract::FromRequestParts;
use web::axum::http::HeaderMap;
use web::axum::http::header::ACCEPT_LANGUAGE;
use web::axum::http::request::Parts;

use crate::time::Day;

/// A language the pages can be read in. English is what the templates are written in; the others translate it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Language {
    #[default]
    English,
    German,
}

impl Language {
    /// The language that a browser asks for first, of those there are.
    pub(crate) fn of(headers: &HeaderMap) -> Language {
        let wanted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut ranked: Vec<(f32, Language)> = wanted.split(',').take(20).filter_map(ranked).collect();
        ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        ranked.first().map_or(Language::English, |(_, language)| *language)
    }

    /// Its code.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }

    /// A text of the pages in this language. What nobody translated is shown as it is written.
    pub(crate) fn t(self, english: &'static str) -> &'static str {
        match self {
            Language::English => english,
            Language::German => german::of(english).unwrap_or(english),
        }
    }

    /// The name of a day of the week, 0 for Monday.
    pub(crate) fn weekday(self, number: usize) -> &'static str {
        const NAMES: [&str; 7] =
            ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        self.t(NAMES.get(number).copied().unwrap_or_default())
    }

    /// A day as people write it: `17 Nov`, `17. Nov`.
    pub(crate) fn day(self, day: Day) -> String {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let text = day.to_string();
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<usize>().ok()).unwrap_or(1);
        let (month, day) = (number(text.get(5..7)), number(text.get(8..10)));
        let month = self.t(MONTHS.get(month.saturating_sub(1)).copied().unwrap_or_default());
        match self {
            Language::English => format!("{day} {month}"),
            Language::German => format!("{day}. {month}"),
        }
    }
}

/// One entry of `Accept-Language`: how much it is wanted, and which it is.
fn ranked(entry: &str) -> Option<(f32, Language)> {
    let (tag, quality) = entry.split_once(';').unwrap_or((entry, ""));
    let quality =
        quality.trim().strip_prefix("q=").map_or(Some(1.0), |quality| quality.trim().parse().ok())?;
    let language = match tag.trim().to_ascii_lowercase().split('-').next()? {
        "en" => Language::English,
        "de" => Language::German,
        _ => return None,
    };
    (quality > 0.0).then_some((quality, language))
}

impl<S: Sync> FromRequestParts<S> for Language {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Language, std::convert::Infallible> {
        Ok(Language::of(&parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use web::axum::http::{HeaderMap, HeaderValue};

    use super::Language;

    #[test]
    fn the_browser_chooses() {
        for (header, expected) in [
            ("", Language::English),
            ("de-CH,de;q=0.9,en;q=0.8", Language::German),
            ("en-GB,en;q=0.9,de;q=0.8", Language::English),
            ("fr-FR, de;q=0.5, en;q=0.4", Language::German),
            ("de;q=0, en", Language::English),
            ("ja", Language::English),
            ("*;q=x,,;", Language::English),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("accept-language", HeaderValue::from_static(header));
            assert_eq!(Language::of(&headers), expected, "{header}");
        }
    }

    #[test]
    fn every_text_of_the_templates_is_translated() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        let mut missing = Vec::new();
        for file in std::fs::read_dir(folder).expect("templates") {
            let text = std::fs::read_to_string(file.expect("a file").path()).expect("a template");
            for part in text.split(".t(\"").skip(1) {
                let key = part.split("\")").next().expect("an end");
                if super::german::of(key).is_none() {
                    missing.push(key.to_owned());
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn days_are_written_as_people_write_them() {
        let day = "2026-03-07".parse().expect("a day");
        assert_eq!(Language::English.day(day), "7 Mar");
        assert_eq!(Language::German.day(day), "7. März");
        assert_eq!(Language::German.weekday(0), "Montag");
    }
}
