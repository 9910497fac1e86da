//! What stands where a recipe has no photo: a quiet drawing that suits the title, always the same one for the same title.

use askama::Template;
use sha2::{Digest, Sha256};

use crate::title::Key;

/// A drawing in place of a photo.
#[derive(Template)]
#[template(path = "placeholder.html")]
pub(crate) struct Placeholder {
    tint: u8,
    motif: Motif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motif {
    Bowl,
    Cutlery,
    Fish,
    Fruit,
    Leaf,
    Loaf,
    Pot,
}

/// What is in a title, in lower case and without marks, and what it is drawn as. The first that is found counts: an apple cake
/// is a cake. German words stand together with others, so they are found anywhere.
const SUITED: [(Motif, &[&str]); 5] = [
    (
        Motif::Fish,
        &["fish", "fisch", "salmon", "lachs", "saumon", "tuna", "trout", "forelle", "prawn", "shrimp"],
    ),
    (
        Motif::Loaf,
        &["bread", "brot", "cake", "kuchen", "torte", "gateau", "zopf", "brioche", "muffin", "cookie"],
    ),
    (Motif::Bowl, &["soup", "suppe", "stew", "curry", "chili", "broth", "ramen", "porridge"]),
    (Motif::Leaf, &["salad", "salat", "pesto", "spinach", "spinat", "herb", "krauter"]),
    (
        Motif::Fruit,
        &["cherry", "kirsch", "apple", "apfel", "berry", "beere", "plum", "fruit", "compote", "clafoutis"],
    ),
];

/// What suits every dish.
const NEUTRAL: [Motif; 3] = [Motif::Pot, Motif::Leaf, Motif::Cutlery];

impl Placeholder {
    /// The drawing for a title.
    pub(crate) fn of(title: &str) -> Placeholder {
        let hash = Sha256::digest(title.as_bytes());
        let name = Key::of(title).for_sorting();
        let suited = SUITED.iter().find(|(_, words)| words.iter().any(|word| name.contains(word)));
        let neutral = NEUTRAL[usize::from(hash[1]) % NEUTRAL.len()];
        Placeholder { tint: hash[0] % 6, motif: suited.map_or(neutral, |(motif, _)| *motif) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Motif, NEUTRAL, Placeholder};

    #[test]
    fn a_drawing_suits_the_title() {
        for (title, motif) in [
            ("Red lentil soup", Motif::Bowl),
            ("Kürbissuppe", Motif::Bowl),
            ("Grandmother’s apple cake", Motif::Loaf),
            ("Gâteau aux pommes", Motif::Loaf),
            ("FISCHSTÄBCHEN", Motif::Fish),
            ("Kräuterbutter", Motif::Leaf),
            ("Cherry clafoutis", Motif::Fruit),
        ] {
            assert_eq!(Placeholder::of(title).motif, motif, "{title}");
        }
    }

    #[test]
    fn nothing_is_drawn_that_may_not_be_in_it() {
        for number in 0..100 {
            assert!(NEUTRAL.contains(&Placeholder::of(&format!("Dish {number}")).motif));
        }
    }
}
