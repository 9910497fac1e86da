//! Languages as a client names them: the codes Tesseract uses, joined by `+`.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Nobody's text is in more languages at once, and Tesseract loads a model for each.
const MOST: usize = 8;
/// The longest of Tesseract's own codes has half of this.
const LONGEST_CODE: usize = 32;

/// One or more language codes, like `eng` or `eng+jpn`. That they are at hand, an engine decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Languages(Vec<String>);

impl Languages {
    /// English.
    pub fn english() -> Self {
        Self(vec!["eng".to_owned()])
    }

    /// The codes, in the order they were given.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Fails with the first code that is not among `known`.
    pub(crate) fn must_be_among(&self, known: Vec<String>) -> Result<(), Error> {
        match self.codes().find(|code| !known.iter().any(|one| one == code)) {
            None => Ok(()),
            Some(name) => Err(Error::UnknownLanguage { name: name.to_owned(), known }),
        }
    }
}

impl FromStr for Languages {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let is_code = |code: &&str| {
            (2..=LONGEST_CODE).contains(&code.len())
                && code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        let codes: Vec<&str> = text.split('+').take(MOST + 1).collect();
        if codes.len() > MOST || !codes.iter().all(is_code) {
            return Err(Error::NotALanguage(text.chars().take(2 * LONGEST_CODE).collect()));
        }
        Ok(Self(codes.into_iter().map(str::to_owned).collect()))
    }
}

impl fmt::Display for Languages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_joined_by_plus() {
        let languages: Languages = "eng+chi_sim".parse().unwrap();
        assert_eq!(languages.codes().collect::<Vec<_>>(), ["eng", "chi_sim"]);
        assert_eq!(languages.to_string(), "eng+chi_sim");
    }

    #[test]
    fn what_is_no_code_is_refused() {
        for text in ["", "e", "eng+", "../eng", "eng deu", "a/b", &"x".repeat(33), &["eng"; 9].join("+")] {
            assert!(matches!(text.parse::<Languages>(), Err(Error::NotALanguage(_))), "{text}");
        }
    }

    #[test]
    fn an_unknown_language_names_those_at_hand() {
        let languages: Languages = "eng+tlh".parse().unwrap();
        let error = languages.must_be_among(vec!["deu".to_owned(), "eng".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "the language `tlh` is not at hand; choose one of: deu, eng");
    }
}
