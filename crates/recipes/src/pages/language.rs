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

    /// A message for the middle of a line, as a sentence of this language. What nobody translated is shown in English.
    pub(crate) fn says(self, message: &str) -> String {
        match self {
            Language::English => self.sentence(message),
            Language::German => {
                let german = german::message(message);
                german.map_or_else(|| self.sentence(message), |german| self.sentence(&german))
            }
        }
    }

    /// A message about a field, which is called what its label calls it.
    pub(crate) fn says_about(self, field: &str, message: &str) -> String {
        let label = match field {
            "title" => "Title",
            "servings" => "Servings",
            "prep" => "Prepare, min",
            "cook" => "Cook, min",
            "difficulty" => "Difficulty",
            "rating" => "Liked",
            "tags" => "Tags",
            "notes" => "Notes",
            "nutrition" => "Nutrition",
            "yield" => "Makes, in words",
            "source" => "Where it came from",
            "description" => "What is it?",
            "name" => "Name",
            "password" | "own-password" => "Password",
            "label" => "What is it for?",
            _ => return self.says(message),
        };
        format!("{}: {}", self.t(label), self.says(message))
    }

    /// Messages are written for the middle of a line, and mark words as code: to people these are quotations.
    fn sentence(self, message: &str) -> String {
        let mut marks = match self {
            Language::English => ["“", "”"],
            Language::German => ["„", "“"],
        }
        .into_iter()
        .cycle();
        let mut parts = message.trim_end_matches('.').split('`');
        let mut said = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            said.push_str(marks.next().unwrap_or_default());
            said.push_str(part);
        }
        let mut letters = said.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    }

    /// The name of a day of the week, 0 for Monday.
    pub(crate) fn weekday(self, number: usize) -> &'static str {
        const NAMES: [&str; 7] =
            ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        self.t(NAMES.get(number).copied().unwrap_or_default())
    }

    /// What stands between a number and its fraction.
    pub(crate) const fn decimal_mark(self) -> &'static str {
        match self {
            Language::English => ".",
            Language::German => ",",
        }
    }

    /// A day with its year.
    pub(crate) fn date(self, day: Day) -> String {
        let text = day.to_string();
        format!("{} {}", self.day(day), text.get(..4).unwrap_or_default())
    }

    /// A day as people write it: `17 Nov`, `17. Nov.`.
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

    /// Every file below a folder, as text.
    fn texts(folder: &std::path::Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
        let read = |path: std::path::PathBuf| {
            if path.is_dir() { texts(&path) } else { vec![std::fs::read_to_string(path).expect("a text")] }
        };
        entries.flat_map(read).collect()
    }

    /// The first string after each of these words.
    fn strings<'a>(text: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(after).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
    }

    #[test]
    fn every_text_and_message_of_the_pages_is_translated() {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut missing = Vec::new();
        for text in texts(&here.join("templates")).iter().chain(&texts(&here.join("src/pages"))) {
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let said = strings(text, ".t(").filter(|english| super::german::of(english).is_none());
            missing.extend(said.map(str::to_owned));
            for problem in text.split("Problem::field(").skip(1) {
                let message = problem.split_once(", ").map(|(_, rest)| rest).unwrap_or_default();
                let message = message.strip_prefix('"').and_then(|message| message.split('"').next());
                let untold = message.filter(|message| super::german::message(message).is_none());
                missing.extend(untold.map(str::to_owned));
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn what_the_store_and_the_types_refuse_is_said_in_german() {
        use crate::error::{Error, Thing};
        use crate::{few::Few, number::Servings, text::Text};
        let refused = [
            Text::<1, 200>::new("").expect_err("empty").to_string(),
            Servings::new(0).expect_err("none").to_string(),
            Few::<u8, 1>::new(vec![1, 2]).expect_err("two").to_string(),
            "ada".parse::<crate::email::Email>().expect_err("no address").to_string(),
            "Mars".parse::<crate::zone::Zone>().expect_err("no zone").to_string(),
            Error::not_found(Thing::Recipe, "x").to_string(),
            Error::not_found(Thing::Item, "x").to_string(),
            Error::TitleTaken { title: "Cake".to_owned(), existing: None }.to_string(),
            Error::Stale { current: crate::recipe::Version(3) }.to_string(),
            Error::Forbidden { needed: crate::family::Role::Editor }.to_string(),
            Error::unavailable("no disk").to_string(),
            crate::import::NoImport::Nothing.to_string(),
            crate::import::NoImport::Bomb(7).to_string(),
            crate::import::NoImport::Damaged("x".to_owned()).to_string(),
            crate::export::NoArchive::Foreign.to_string(),
            crate::photo::NoPhoto::TooLarge(7).to_string(),
        ];
        for english in refused {
            assert!(super::german::message(&english).is_some(), "{english}");
        }
        let wrong = Language::German.says_about("servings", "expected a whole number in the range 1-1000");
        assert_eq!(wrong, "Portionen: Erlaubt ist eine ganze Zahl von 1 bis 1000.");
        assert_eq!(Language::English.says_about("servings", "expected more"), "Servings: Expected more.");
        assert_eq!(Language::English.says("start `serve`."), "Start “serve”.");
        assert_eq!(
            Language::German.says("not a time zone such as `A/B`: `x`"),
            "Das ist keine Zeitzone wie „A/B“: „x“."
        );
    }

    #[test]
    fn days_are_written_as_people_write_them() {
        let day = "2026-03-07".parse().expect("a day");
        assert_eq!(Language::English.day(day), "7 Mar");
        assert_eq!(Language::German.day(day), "7. März");
        assert_eq!(Language::English.date(day), "7 Mar 2026");
        assert_eq!(Language::German.date("2026-11-17".parse().expect("a day")), "17. Nov. 2026");
        assert_eq!(Language::German.weekday(0), "Montag");
    }
}
