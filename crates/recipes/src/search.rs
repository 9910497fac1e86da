//! Finding recipes by words. What a word is, and which words are near each other, is the same on every engine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::id::RecipeId;
use crate::number::Whole;
use crate::text::Text;

/// What to look for.
pub type Words = Text<1, 200>;
/// How many to return.
pub type HitLimit = Whole<1, 100>;

/// What is asked: recipes that have all words in title, description, ingredients or tags; the last one may be a
/// beginning. If there are none, words that are nearly the same count.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// The words.
    pub words: Words,
    /// At most so many.
    pub limit: HitLimit,
    /// After skipping so many.
    pub skip: u32,
}

/// A recipe that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Its id.
    pub id: RecipeId,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
}

/// What was found, best first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// The recipes.
    pub hits: Vec<Hit>,
    /// Whether there are more.
    pub more: bool,
}

/// Bytes of a text that are indexed: PostgreSQL's index takes a megabyte in all.
const MOST_BYTES: usize = 200_000;

/// Bytes of a word that count: PostgreSQL's index refuses words of 2 kB.
const MOST_OF_A_WORD: usize = 200;

/// How many words take the place of one that is not there.
const MOST_NEAR: usize = 8;

/// The words of a text: without accents, in lower case, nothing but letters and digits.
pub(crate) fn words(text: &str) -> Vec<String> {
    let plain: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let folded = caseless::default_case_fold_str(&plain);
    let mut left = MOST_BYTES;
    let mut words = Vec::new();
    for word in folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let end = word
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .take_while(|end| *end <= MOST_OF_A_WORD)
            .last();
        let word = word.get(..end.unwrap_or_default()).unwrap_or(word);
        match left.checked_sub(word.len() + 1) {
            Some(rest) => left = rest,
            None => break,
        }
        words.push(word.to_owned());
    }
    words
}

/// How many words that are nearly the same are looked at.
const MOST_LOOKED_AT: usize = 500;

/// For each word those of the vocabulary that are nearly the same and are in sight, best first; `None` if there is none for
/// one of them.
pub(crate) fn near(
    words: &[String],
    vocabulary: &[String],
    mut is_in_sight: impl FnMut(&str) -> bool,
) -> Option<Vec<Vec<String>>> {
    words
        .iter()
        .map(|word| {
            let length = word.chars().count();
            let most = match length {
                ..4 => 0,
                4..8 => 1,
                8.. => 2,
            };
            let known = vocabulary.iter().filter(|known| known.chars().count().abs_diff(length) <= most);
            let known = known.map(|known| (distance(word, known), known));
            let mut close: Vec<(usize, &String)> = known.filter(|(distance, _)| *distance <= most).collect();
            close.sort();
            let close = close.into_iter().take(MOST_LOOKED_AT).map(|(_, known)| known);
            let close: Vec<String> =
                close.filter(|known| is_in_sight(known)).take(MOST_NEAR).cloned().collect();
            (!close.is_empty()).then_some(close)
        })
        .collect()
}

/// How many letters have to be added, left out, changed, or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut cost = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, MOST_OF_A_WORD, distance, near, words};

    #[test]
    fn accents_case_and_ligatures_do_not_count() {
        assert_eq!(words("Crème  FRAÎCHE, Weiß! ﬁg"), ["creme", "fraiche", "weiss", "fig"]);
        assert_eq!(words("a' | !b:* \"c"), ["a", "b", "c"]);
    }

    #[test]
    fn words_and_texts_without_end_are_cut() {
        assert_eq!(words(&"ä".repeat(10_000))[0].len(), MOST_OF_A_WORD);
        assert!(words(&"\u{fdfa} ".repeat(200_000)).join(" ").len() <= MOST_BYTES);
    }

    #[test]
    fn typing_errors_are_near() {
        for (one, other, expected) in [
            ("lentil", "lentil", 0),
            ("lentl", "lentil", 1),
            ("letnil", "lentil", 1),
            ("lemon", "melon", 2),
            ("", "ab", 2),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
        }
        let vocabulary = ["lentil", "lemon", "soup", "spaghetti"].map(str::to_owned);
        let near =
            |typed: &str| near(&words(typed), &vocabulary, |_| true).map(|near| near.concat().join(" "));
        assert_eq!(near("lentl soup").as_deref(), Some("lentil soup"));
        assert_eq!(near("spagetthi").as_deref(), Some("spaghetti"));
        assert_eq!(near("cake"), None);
    }
}
