//! Which ingredients a step speaks of. Better none than a wrong one: a cook looks at the list then, and does not pour oil into
//! the water that is to boil.

use crate::search::words;

/// For each ingredient whether the step names it.
pub(super) fn named(step: &str, ingredients: &[&str]) -> Vec<bool> {
    let sentences = step.split(['.', ';', '!', '\n']).map(words);
    // `Cream the butter`, `chop the onions`: what to do, not what with.
    let text: Vec<String> = sentences
        .flat_map(|said| {
            let is_verb = said.first().is_some_and(|first| VERBS.contains(&first.as_str()));
            said.into_iter().skip(usize::from(is_verb))
        })
        .collect();
    let german = text.iter().any(|word| GERMAN.contains(&word.as_str()));
    let names: Vec<Vec<String>> = ingredients.iter().map(|name| words(bare(name))).collect();
    let mut found = vec![false; names.len()];
    let mut taken = vec![false; text.len()];
    // The longest names first: `coconut milk` is not `milk`.
    let mut order: Vec<usize> = (0..names.len()).filter(|at| !names[*at].is_empty()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(names[*at].len()));
    for at in order {
        let name = &names[at];
        for start in 0..(text.len() + 1).saturating_sub(name.len()) {
            let place = start..start + name.len();
            let free = !taken[place.clone()].iter().any(|taken| *taken);
            let fits = text[place.clone()].iter().zip(name).all(|(one, other)| is_same(one, other, german));
            if free && fits {
                found[at] = true;
                taken[place].fill(true);
            }
        }
    }
    // `The onions` are the red onion, as long as there is no other onion.
    for (at, name) in names.iter().enumerate() {
        let Some(head) = name.last().filter(|head| head.chars().count() > 2) else { continue };
        let is_only =
            names.iter().filter(|other| other.last().is_some_and(|last| is_same(last, head, german))).count()
                == 1;
        let mut spoken = text.iter().zip(&taken).filter(|(_, taken)| !**taken);
        if !found[at] && is_only && spoken.any(|(word, _)| is_same(word, head, german)) {
            found[at] = true;
        }
    }
    found
}

/// The name alone, without what is to be done with it: `red onion, diced`, `butter (soft)`, `oil for frying`.
fn bare(name: &str) -> &str {
    let end = [",", "(", " for ", " or ", " für ", " oder ", " zum ", " zur "]
        .iter()
        .filter_map(|mark| name.find(mark))
        .min();
    name.get(..end.unwrap_or(name.len())).unwrap_or(name)
}

/// Words that a sentence begins with when they say what to do, and that are things to eat elsewhere.
const VERBS: &[&str] = &[
    "cream", "chop", "mince", "toast", "roast", "squash", "juice", "rice", "fillet", "batter", "stew",
    "dress", "ice", "leave",
];

/// Words by which a German text is known; its plurals end otherwise.
const GERMAN: &[&str] = &["der", "die", "das", "den", "und", "mit", "in", "eine", "einen", "im", "zu", "auf"];

/// Whether two words are the same but for their number.
fn is_same(one: &str, other: &str, german: bool) -> bool {
    one == other || is_plural(one, other, german) || is_plural(other, one, german)
}

fn is_plural(plural: &str, singular: &str, german: bool) -> bool {
    if singular.chars().count() < 2 {
        return false;
    }
    let ends = |ending: &str| plural.strip_suffix(ending) == Some(singular);
    let changes = |from: &str, to: &str| {
        plural
            .strip_suffix(to)
            .is_some_and(|stem| singular.strip_suffix(from) == Some(stem) && stem.len() > 1)
    };
    let sibilant = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| singular.ends_with(end));
    // `leave` is no leaf.
    (ends("s") && plural != "leaves")
        || (sibilant && ends("es"))
        || changes("y", "ies")
        || changes("f", "ves")
        || changes("fe", "ves")
        || (german && (ends("n") || ends("en") || ends("e") || ends("er")))
}

#[cfg(test)]
mod tests {
    use super::named;

    /// The ingredients that a step names.
    fn check(step: &str, ingredients: &[&str], expected: &[&str]) {
        let named = named(step, ingredients);
        let found: Vec<&str> =
            ingredients.iter().zip(named).filter(|(_, named)| *named).map(|(name, _)| *name).collect();
        assert_eq!(found, expected, "{step}");
    }

    #[test]
    fn a_step_needs_what_it_speaks_of() {
        check("Fry the onions until golden.", &["red onion, diced", "oil"], &["red onion, diced"]);
        check("Add tomatoes and the berries.", &["tomato", "berry", "leaf"], &["tomato", "berry"]);
        check("Whisk the eggs.", &["Egg", "flour"], &["Egg"]);
        check("Melt the butter.", &["Peanut butter"], &["Peanut butter"]);
        check("Stir in the crème fraîche.", &["CRÈME FRAÎCHE"], &["CRÈME FRAÎCHE"]);
        check("Die Zwiebeln mit den Eiern verrühren.", &["Zwiebel", "Ei", "Mehl"], &["Zwiebel"]);
        check("Die Eier und Kartoffeln kochen.", &["Ei", "Kartoffel"], &["Ei", "Kartoffel"]);
    }

    #[test]
    fn a_part_of_a_word_is_not_the_word() {
        check("Boil the water.", &["oil", "salt"], &[]);
        check("Slice the eggplant.", &["egg", "eggplant"], &["eggplant"]);
        check("Roll out the pie crust.", &["rice", "us"], &[]);
        check("Butter the tin.", &["pork butt"], &[]);
        check("Cream the mixture until pale. Leave to cool.", &["double cream", "bay leaves"], &[]);
        check("Chop the onions; add the cream.", &["pork chops", "onion", "cream"], &["onion", "cream"]);
        check("Butter the tin, and add a leaf.", &["butter", "bay leaves"], &["butter", "bay leaves"]);
    }

    #[test]
    fn the_longer_name_wins_and_two_of_a_kind_are_none() {
        check("Pour in the coconut milk.", &["milk", "coconut milk"], &["coconut milk"]);
        check("Melt the butter.", &["butter", "peanut butter"], &["butter"]);
        check("Add the pepper.", &["black pepper", "red pepper"], &[]);
        check("Cook the egg noodles.", &["eggs", "egg noodles"], &["egg noodles"]);
        check("Fry in oil.", &["olive oil for frying"], &["olive oil for frying"]);
    }
}
