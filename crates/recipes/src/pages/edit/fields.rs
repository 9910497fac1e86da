//! The form as it is on the page: texts, right or wrong. Ingredients are a line each, steps a paragraph each, as a cook writes
//! them down.

use sha2::{Digest, Sha256};

use crate::api::input::Pairs;
use crate::ingredient::Ingredient;
use crate::number::Amount;
use crate::recipe::{Recipe, Version};
use crate::step::{Degrees, Step};

/// Everything that stands in the form.
#[derive(Debug, Default, Clone)]
pub(crate) struct Fields {
    pub(crate) version: String,
    /// What the form said when it was opened, in short: a photo or a cooked meal makes a new version of the recipe, and no
    /// other form.
    pub(crate) base: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) prep: String,
    pub(crate) cook: String,
    pub(crate) servings: String,
    pub(crate) difficulty: String,
    pub(crate) rating: String,
    pub(crate) yield_text: String,
    pub(crate) source: String,
    pub(crate) notes: String,
    pub(crate) nutrition: String,
    pub(crate) tags: String,
    pub(crate) ingredients: String,
    pub(crate) steps: String,
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Browsers send every end of a line as two characters, and show both kinds alike.
pub(super) fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A number as people type it.
fn number(amount: Amount) -> String {
    amount.times(1.0).get().to_string()
}

/// An ingredient as a line: `2-3 cups flour, sifted`.
pub(super) fn line(ingredient: &Ingredient) -> String {
    let quantity = match (ingredient.quantity, ingredient.quantity_max) {
        (Some(least), Some(most)) => format!("{}-{}", number(least), number(most)),
        (Some(only), None) => number(only),
        (None, _) => String::new(),
    };
    let words = [quantity, text(ingredient.unit.as_ref()), ingredient.name.to_string()];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let notes = text(ingredient.notes.as_ref());
    let line = if notes.is_empty() { words.join(" ") } else { format!("{}, {notes}", words.join(" ")) };
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A step as a paragraph: `Bake until golden. (50 min, 180 °C)`.
pub(super) fn paragraph(step: &Step) -> String {
    let lines = plain_lines(step.instruction.as_str());
    let lines: Vec<&str> = lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let time =
        step.duration_minutes.filter(|minutes| minutes.get() > 0).map(|minutes| format!("{minutes} min"));
    let heat = step.temperature_value.zip(step.temperature_unit).map(|(value, unit)| match unit {
        Degrees::Celsius => format!("{value} °C"),
        Degrees::Fahrenheit => format!("{value} °F"),
    });
    let facts: Vec<String> = [time, heat].into_iter().flatten().collect();
    let text = lines.join("\n");
    if facts.is_empty() { text } else { format!("{text} ({})", facts.join(", ")) }
}

/// Texts with a heading, which ends in a colon, wherever that changes.
fn under_headings(entries: impl Iterator<Item = (String, String)>, between: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut last = String::new();
    for (section, text) in entries {
        if section != last {
            let gap = if parts.is_empty() || between == "\n\n" { "" } else { "\n" };
            // A heading of nothing ends the one before.
            let heading = if section.is_empty() { "–" } else { &section };
            parts.push(format!("{gap}{heading}:"));
            last = section;
        }
        parts.push(text);
    }
    parts.join(between)
}

/// Tags with commas between them; one that has a comma stands in quotes.
fn tag_list(tags: &[String]) -> String {
    let quoted = |tag: &String| {
        if tag.contains([',', '"']) { format!("\"{}\"", tag.replace('"', "\"\"")) } else { tag.clone() }
    };
    tags.iter().map(quoted).collect::<Vec<_>>().join(", ")
}

impl Fields {
    /// A form with a recipe in it.
    pub(crate) fn of(recipe: &Recipe) -> Fields {
        let ingredients =
            recipe.ingredients.iter().map(|placed| (text(placed.what.section.as_ref()), line(&placed.what)));
        let steps =
            recipe.steps.iter().map(|placed| (text(placed.what.section.as_ref()), paragraph(&placed.what)));
        let fields = Fields {
            version: recipe.version.0.to_string(),
            base: String::new(),
            title: recipe.title.to_string(),
            description: plain_lines(&text(recipe.description.as_ref())),
            prep: text(recipe.prep_time_minutes),
            cook: text(recipe.cook_time_minutes),
            servings: text(recipe.servings),
            difficulty: text(recipe.difficulty),
            rating: text(recipe.rating),
            yield_text: text(recipe.yield_text.as_ref()),
            source: text(recipe.source_url.as_ref()),
            notes: plain_lines(&text(recipe.notes.as_ref())),
            nutrition: plain_lines(&text(recipe.nutrition.as_ref())),
            tags: tag_list(&recipe.tags),
            ingredients: under_headings(ingredients, "\n"),
            steps: under_headings(steps, "\n\n"),
        };
        Fields { base: fields.digest(), ..fields }
    }

    fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for text in [
            &self.title,
            &self.description,
            &self.prep,
            &self.cook,
            &self.servings,
            &self.difficulty,
            &self.rating,
            &self.yield_text,
            &self.source,
            &self.notes,
            &self.nutrition,
            &self.tags,
            &self.ingredients,
            &self.steps,
        ] {
            digest.update(text.len().to_le_bytes());
            digest.update(text);
        }
        hex::encode(&digest.finalize()[..16])
    }

    /// What somebody sent.
    pub(crate) fn sent(pairs: &Pairs) -> Fields {
        let one = |name: &str| plain_lines(pairs.all(name).next().unwrap_or_default());
        Fields {
            version: one("version"),
            base: one("base"),
            title: one("title"),
            description: one("description"),
            prep: one("prep"),
            cook: one("cook"),
            servings: one("servings"),
            difficulty: one("difficulty"),
            rating: one("rating"),
            yield_text: one("yield"),
            source: one("source"),
            notes: one("notes"),
            nutrition: one("nutrition"),
            tags: one("tags"),
            ingredients: one("ingredients"),
            steps: one("steps"),
        }
    }

    /// The version the form was made for.
    pub(crate) fn version(&self) -> Option<Version> {
        self.version.parse().ok().map(Version)
    }
}
