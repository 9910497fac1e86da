//! Titles, and the key by which two of them are the same.

use unicode_normalization::UnicodeNormalization;

use crate::text::{Misfit, Text};

/// The title of a recipe.
pub type Title = Text<1, 200>;

/// `Leek soup (2)`, within the length of a title.
pub fn numbered(title: &Title, number: u32) -> Result<Title, Misfit> {
    let suffix = format!(" ({number})");
    let kept: String = title.as_str().chars().take(200 - suffix.len()).collect();
    Title::new(format!("{}{suffix}", kept.trim_end()))
}

/// What a name is compared by: trimmed, white space collapsed, NFKC, case-folded. So `Crème  Brûlée`, `crème brûlée` and
/// its decomposed form are one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// The key of a name.
    pub fn of(name: &str) -> Key {
        let collapsed = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if collapsed.is_ascii() {
            return Key(collapsed.to_ascii_lowercase());
        }
        let composed: String = collapsed.nfkc().collect();
        // Folding can undo composition and NFKC can make new spaces, so both are done once more at the end.
        let folded: String = caseless::default_case_fold_str(&composed).nfkc().collect();
        Key(folded.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// What names are sorted by, as in the index of a printed cookbook: `Älplermagronen` stands among the As, and what
    /// comes before the first letter or digit, such as a quote or a picture, does not count.
    pub fn for_sorting(&self) -> String {
        let start = self.0.find(char::is_alphanumeric).unwrap_or_default();
        let name = self.0.get(start..).unwrap_or_default();
        if name.is_ascii() {
            return name.to_owned();
        }
        let mut sorted = String::with_capacity(name.len());
        // The marks of Latin, Greek and Cyrillic letters alone: those of other scripts are vowels.
        for letter in name.nfd().filter(|letter| !matches!(letter, '\u{300}'..='\u{36f}')).nfc() {
            match letter {
                'æ' => sorted.push_str("ae"),
                'œ' => sorted.push_str("oe"),
                'ø' => sorted.push('o'),
                'ł' => sorted.push('l'),
                'đ' => sorted.push('d'),
                'ı' => sorted.push('i'),
                other => sorted.push(other),
            }
        }
        sorted
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn names_that_look_the_same_are_the_same() {
        for (one, other) in [
            ("Chocolate Cake", "  chocolate   CAKE\n"),
            ("Crème Brûlée", "CRE\u{300}ME BRU\u{302}LE\u{301}E"),
            ("Weißwurst", "WEISSWURST"),
            ("ﬁg jam", "Fig Jam"),
            ("Ａ\u{3000}Ｂ", "a b"),
            ("Σούπας", "ΣΟΎΠΑΣ"),
        ] {
            assert_eq!(Key::of(one), Key::of(other), "{one}");
        }
    }

    #[test]
    fn names_that_differ_stay_different() {
        for (one, other) in [("Leek soup", "Leek soups"), ("Pâté", "Pate"), ("ab", "a b")] {
            assert_ne!(Key::of(one), Key::of(other));
        }
    }

    #[test]
    fn names_are_sorted_as_in_a_printed_index() {
        let sorted = [
            "2-minute noodles",
            "Älplermagronen",
            "“Best” brownies",
            "Crème brûlée",
            "Creole rice",
            "Œufs en meurette",
            "🍕 Pizza",
            "Soup",
            "Żurek",
            "Борщ",
            "Йогурт",
            "กะเพรา",
            "が",
            "김치",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by_key(|name| Key::of(name).for_sorting());
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_name_without_letters_is_sorted_by_what_it_has() {
        assert_eq!(Key::of("!?").for_sorting(), "!?");
        assert_eq!(Key::of("🍕").for_sorting(), "🍕");
    }

    #[test]
    fn a_key_is_its_own_key() {
        for name in ["Weißwurst", "ŉ ΐ ﬃ", "İstanbul", "\u{1e9e}\u{345}"] {
            let key = Key::of(name);
            assert_eq!(Key::of(key.as_str()), key, "{name}");
        }
    }
}
