//! Titles, and the key by which two of them are the same.

use unicode_normalization::UnicodeNormalization;

use crate::text::Text;

/// The title of a recipe.
pub type Title = Text<1, 200>;

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
    fn a_key_is_its_own_key() {
        for name in ["Weißwurst", "ŉ ΐ ﬃ", "İstanbul", "\u{1e9e}\u{345}"] {
            let key = Key::of(name);
            assert_eq!(Key::of(key.as_str()), key, "{name}");
        }
    }
}
