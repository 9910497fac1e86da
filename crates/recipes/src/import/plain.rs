//! A recipe as people write it down: a title, what goes in, what to do. And a step, with its time and heat.

use crate::draft::Draft;
use crate::ingredient::Ingredient;
use crate::number::Whole;
use crate::step::{Degrees, Step};
use crate::text::{Misfit, Text};

use super::fitting::{self, Fitter};
use super::{Imported, duration, json_ld, line};

/// Headings of the ingredients and of the method, in the languages of our readers.
const INGREDIENTS: &[&str] =
    &["ingredients", "zutaten", "ingrédients", "ingredientes", "you need", "you will need"];
const METHOD: &[&str] = &[
    "method",
    "directions",
    "instructions",
    "steps",
    "preparation",
    "how to make it",
    "zubereitung",
    "anleitung",
    "so geht's",
    "préparation",
    "preparación",
];
const NOTES: &[&str] = &["notes", "note", "tips", "tip", "notizen", "tipp", "tipps"];

/// How many lines with amounts make a text a recipe that has no headings.
const FEW_AMOUNTS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    About,
    Ingredients,
    Method,
    Notes,
}

/// The part that a line is the heading of.
fn part_of(line: &str) -> Option<Part> {
    let bare =
        line.trim().trim_start_matches(['#', '*', '=', ' ']).trim_end_matches([':', '*', '#', '=', ' ']);
    let bare = bare.to_lowercase();
    let is_in = |list: &[&str]| list.contains(&bare.as_str());
    if is_in(INGREDIENTS) {
        Some(Part::Ingredients)
    } else if is_in(METHOD) {
        Some(Part::Method)
    } else if is_in(NOTES) {
        Some(Part::Notes)
    } else {
        None
    }
}

/// A recipe in plain text; `None` if it does not look like one: it needs a heading we know, or some lines with amounts.
pub(super) fn read(text: &str) -> Option<Imported> {
    let mut lines = fitting::lines(text).map(str::trim).skip_while(|line| line.is_empty());
    let mut fitter = Fitter::default();
    let title = lines.next()?.trim_start_matches(['#', '*', ' ']).trim_end_matches(['*', ':', ' ']);
    let title = fitter.text("title", title)?;
    let rest: Vec<&str> = lines.collect();
    let has_headings =
        rest.iter().any(|line| matches!(part_of(line), Some(Part::Ingredients | Part::Method)));
    let amounts = rest.iter().filter(|text| has_amount(text)).count();
    if !has_headings && amounts < FEW_AMOUNTS {
        return None;
    }
    let mut found = Found {
        about: Vec::new(),
        notes: Vec::new(),
        servings: None,
        ingredients: Vec::new(),
        steps: Vec::new(),
    };
    let mut part = Part::About;
    let mut section = None;
    for text in rest.iter().filter(|text| !text.is_empty()) {
        if let Some(next) = part_of(text) {
            (part, section) = (next, None);
            continue;
        }
        let lower = text.to_lowercase();
        if part == Part::About
            && ["serves", "servings", "yield", "makes", "für", "portionen"]
                .iter()
                .any(|word| lower.starts_with(word))
            && let Some(servings) = json_ld::servings_of(text)
        {
            found.servings = Some(servings);
            continue;
        }
        // Without headings, lines with amounts are the ingredients, and what comes after them is the method.
        if !has_headings {
            part = match part {
                Part::About | Part::Ingredients if has_amount(text) => Part::Ingredients,
                Part::Ingredients => Part::Method,
                same => same,
            };
        }
        match part {
            Part::About => found.about.push(*text),
            Part::Notes => found.notes.push(*text),
            Part::Ingredients => match text.strip_suffix(':') {
                Some(heading) => section = fitter.text("section", heading),
                None => {
                    if let Some(mut ingredient) = line::one(text, &mut fitter) {
                        ingredient.section.clone_from(&section);
                        found.ingredients.push(ingredient);
                    }
                }
            },
            Part::Method => {
                let bare = text
                    .trim_start_matches(|c: char| c.is_ascii_digit())
                    .trim_start_matches(['.', ')', '-', '•', '*']);
                let instruction: String = bare.trim().chars().take(5_000).collect();
                if let Ok(mut step) = read_step(&instruction) {
                    step.section.clone_from(&section);
                    found.steps.push(step);
                }
            }
        }
    }
    if found.ingredients.is_empty() && found.steps.is_empty() {
        return None;
    }
    let draft = Draft {
        title,
        description: fitter.text("description", &found.about.join(" ")),
        prep_time_minutes: None,
        cook_time_minutes: None,
        servings: found.servings,
        difficulty: None,
        rating: None,
        yield_text: None,
        source_url: None,
        notes: fitter.text("notes", &found.notes.join("\n")),
        nutrition: None,
        tags: None,
        ingredients: fitter.few("ingredients", found.ingredients),
        steps: fitter.few("steps", found.steps),
    };
    Some(Imported { draft, picture: None, remarks: fitter.remarks })
}

struct Found<'a> {
    about: Vec<&'a str>,
    notes: Vec<&'a str>,
    servings: Option<crate::number::Servings>,
    ingredients: Vec<Ingredient>,
    steps: Vec<Step>,
}

/// Whether a line begins with an amount, and not with the number of a step.
fn has_amount(text: &str) -> bool {
    let is_step = text.split_once(['.', ')']).is_some_and(|(number, rest)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(' ')
    });
    !is_step
        && text.chars().count() < 100
        && line::read(text).is_some_and(|ingredient| ingredient.quantity.is_some())
}

/// A step as somebody wrote it. What it says about time and heat, at its end in brackets or in its words, is read as well.
pub fn read_step(text: &str) -> Result<Step, Misfit> {
    let text = text.trim();
    let (words, facts) = match text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        Some((words, facts)) if is_facts(facts) => (words.trim(), facts),
        _ => (text, text),
    };
    // What is too long for a step is not looked at.
    let instruction = Text::new(words)?;
    let heat = heat(facts);
    Ok(Step {
        instruction,
        duration_minutes: minutes(facts).and_then(fitting::minutes),
        temperature_value: heat.map(|(value, _)| value),
        temperature_unit: heat.map(|(_, unit)| unit),
        section: None,
    })
}

/// Whether there is nothing but a time and a temperature.
fn is_facts(text: &str) -> bool {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    parts.len() <= 2
        && parts.iter().all(|part| part.len() < 24 && (minutes(part).is_some() || heat(part).is_some()))
}

/// The first time that is named: `20 min`, `1 hour 30 minutes`, `2 Stunden`, `10-15 minutes`.
fn minutes(text: &str) -> Option<i64> {
    let lower = text.to_lowercase().replace(['–', '—'], "-");
    let words: Vec<&str> = lower.split_whitespace().collect();
    for at in 0..words.len() {
        let end = (at + 4).min(words.len());
        // The longest phrase that begins here and is a time.
        for stop in (at + 1..=end).rev() {
            let phrase = words[at..stop].join(" ");
            let phrase = phrase.trim_matches(|c: char| !c.is_alphanumeric());
            let begins = phrase.starts_with(|c: char| c.is_ascii_digit());
            let ends = phrase.ends_with(|c: char| c.is_alphabetic());
            let phrase = phrase.rsplit_once('-').map_or(phrase, |(_, upper)| upper);
            if begins
                && ends
                && let Some(minutes) = duration::text_minutes(phrase).filter(|minutes| *minutes > 0)
            {
                return Some(minutes);
            }
        }
    }
    None
}

/// Words for degrees that stand behind a number.
const DEGREES: [(&str, Degrees); 3] =
    [("grad", Degrees::Celsius), ("degrees c", Degrees::Celsius), ("degrees f", Degrees::Fahrenheit)];

/// The first temperature that is named: `180 °C`, `350°F`, `200 Grad`.
fn heat(text: &str) -> Option<(Whole<-100, 2_000>, Degrees)> {
    for (at, sign) in text.char_indices() {
        let rest = text.get(at..)?;
        let begins =
            |word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let degrees = if sign == '°' {
            let unit = rest.trim_start_matches(['°', ' ']).chars().next();
            if unit.is_some_and(|unit| unit.eq_ignore_ascii_case(&'f')) {
                Degrees::Fahrenheit
            } else {
                Degrees::Celsius
            }
        } else if let Some((_, degrees)) = DEGREES.iter().find(|(word, _)| begins(word)) {
            *degrees
        } else {
            continue;
        };
        let before = text.get(..at)?.trim_end();
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let value = before.get(before.len() - digits..).and_then(|digits| digits.parse().ok());
        if let Some(value) = value.and_then(|value| Whole::new(value).ok()) {
            return Some((value, degrees));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{read, read_step};

    fn facts(text: &str) -> (String, Option<i64>, Option<String>) {
        let step = read_step(text).expect("a step");
        let heat =
            step.temperature_value.zip(step.temperature_unit).map(|(value, unit)| format!("{value} {unit}"));
        (step.instruction.into_string(), step.duration_minutes.map(crate::number::Whole::get), heat)
    }

    #[test]
    fn steps_say_how_long_and_how_hot() {
        let of =
            |text: &str, minutes, heat: Option<&str>| (text.to_owned(), minutes, heat.map(str::to_owned));
        assert_eq!(facts("Bake. (50 min, 180 °C)"), of("Bake.", Some(50), Some("180 Celsius")));
        assert_eq!(
            facts("Bake at 350°F for 20 minutes."),
            of("Bake at 350°F for 20 minutes.", Some(20), Some("350 Fahrenheit"))
        );
        assert_eq!(
            facts("Bei 200 Grad 1 Stunde backen."),
            of("Bei 200 Grad 1 Stunde backen.", Some(60), Some("200 Celsius"))
        );
        assert_eq!(facts("Add the rest (see above)"), of("Add the rest (see above)", None, None));
        assert_eq!(facts("Beat 2 eggs."), of("Beat 2 eggs.", None, None));
        assert_eq!(
            facts("Heat to 350 DEGREES F."),
            of("Heat to 350 DEGREES F.", None, Some("350 Fahrenheit"))
        );
    }

    /// Each letter had all that comes after it written in small letters: hours for a megabyte.
    #[test]
    fn a_text_that_is_too_long_for_a_step_is_refused_at_once() {
        assert!(read_step(&"ä".repeat(2_000_000)).is_err());
        assert!(read_step(&format!("{} (5 min)", "ä".repeat(2_000_000))).is_err());
        assert!(read_step(&"g".repeat(5_000)).is_ok());
    }

    #[test]
    fn a_recipe_with_headings_and_one_without() {
        let text = "Pancakes\n\nThe Sunday ones.\nServes 4\n\nIngredients:\nFor the batter:\n250 g flour\n2 eggs\n- a pinch of salt\n\nMethod\n1. Whisk.\n2. Fry for 3 minutes.\n\nNotes\nEat at once.";
        let found = read(text).expect("a recipe").draft;
        assert_eq!(
            (found.title.as_str(), found.servings.map(crate::number::Whole::get)),
            ("Pancakes", Some(4))
        );
        let ingredients = found.ingredients.expect("ingredients");
        assert_eq!(
            (ingredients.len(), ingredients[0].section.as_ref().map(ToString::to_string).as_deref()),
            (3, Some("For the batter"))
        );
        let steps = found.steps.expect("steps");
        assert_eq!((steps.len(), steps[0].instruction.as_str()), (2, "Whisk."));
        assert_eq!(found.notes.map(|notes| notes.to_string()).as_deref(), Some("Eat at once."));
        let found =
            read("Toast\n2 slices bread\n10 g butter\nToast the bread.\nButter it.").expect("a recipe").draft;
        assert_eq!((found.ingredients.map(|i| i.len()), found.steps.map(|s| s.len())), (Some(2), Some(2)));
        for nothing in ["Just words", "Dear Ada,\n\nHow are you?\n\nBob", ""] {
            assert!(read(nothing).is_none(), "{nothing}");
        }
    }
}
