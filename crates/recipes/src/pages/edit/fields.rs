//! The form as it is on the page: texts, right or wrong, and rows that can be moved.

use crate::api::input::Pairs;
use crate::ingredient::Ingredient;
use crate::number::Amount;
use crate::recipe::{Recipe, Version};
use crate::step::Step;

/// Rows that an empty form begins with.
const BEGIN: usize = 3;
/// As many as a recipe may have.
const MOST_ROWS: usize = 300;

/// Everything that stands in the form.
#[derive(Debug, Default, Clone)]
pub(crate) struct Fields {
    pub(crate) version: String,
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
    pub(crate) ingredients: Vec<Row>,
    pub(crate) steps: Vec<RowOfSteps>,
}

/// An ingredient in the form.
#[derive(Debug, Default, Clone)]
pub(crate) struct Row {
    pub(crate) quantity: String,
    pub(crate) unit: String,
    pub(crate) name: String,
    pub(crate) notes: String,
    pub(crate) section: String,
    /// `no` if it does not grow with the servings.
    pub(crate) scales: String,
    pub(crate) original: String,
}

/// A step in the form.
#[derive(Debug, Default, Clone)]
pub(crate) struct RowOfSteps {
    pub(crate) instruction: String,
    pub(crate) minutes: String,
    pub(crate) temperature: String,
    pub(crate) degrees: String,
    pub(crate) section: String,
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A number as people type it.
fn number(amount: Amount) -> String {
    amount.times(1.0).get().to_string()
}

impl Row {
    fn of(ingredient: &Ingredient) -> Row {
        let quantity = match (ingredient.quantity, ingredient.quantity_max) {
            (Some(least), Some(most)) => format!("{}-{}", number(least), number(most)),
            (Some(only), None) => number(only),
            (None, _) => String::new(),
        };
        Row {
            quantity,
            unit: text(ingredient.unit.as_ref()),
            name: ingredient.name.to_string(),
            notes: text(ingredient.notes.as_ref()),
            section: text(ingredient.section.as_ref()),
            scales: if ingredient.scales { String::new() } else { "no".to_owned() },
            original: text(ingredient.original_text.as_ref()),
        }
    }

    /// Whether nobody typed anything.
    pub(crate) fn is_blank(&self) -> bool {
        [&self.quantity, &self.unit, &self.name, &self.notes].into_iter().all(|text| text.trim().is_empty())
    }
}

impl RowOfSteps {
    fn of(step: &Step) -> RowOfSteps {
        RowOfSteps {
            instruction: step.instruction.to_string(),
            minutes: text(step.duration_minutes),
            temperature: text(step.temperature_value),
            degrees: text(step.temperature_unit),
            section: text(step.section.as_ref()),
        }
    }

    /// Whether nobody typed anything.
    pub(crate) fn is_blank(&self) -> bool {
        [&self.instruction, &self.minutes, &self.temperature].into_iter().all(|text| text.trim().is_empty())
    }
}

impl Fields {
    /// A form for a new recipe.
    pub(crate) fn empty() -> Fields {
        Fields {
            ingredients: vec![Row::default(); BEGIN],
            steps: vec![RowOfSteps::default(); BEGIN - 1],
            ..Fields::default()
        }
    }

    /// A form with a recipe in it.
    pub(crate) fn of(recipe: &Recipe) -> Fields {
        Fields {
            version: recipe.version.0.to_string(),
            title: recipe.title.to_string(),
            description: text(recipe.description.as_ref()),
            prep: text(recipe.prep_time_minutes),
            cook: text(recipe.cook_time_minutes),
            servings: text(recipe.servings),
            difficulty: text(recipe.difficulty),
            rating: text(recipe.rating),
            yield_text: text(recipe.yield_text.as_ref()),
            source: text(recipe.source_url.as_ref()),
            notes: text(recipe.notes.as_ref()),
            nutrition: text(recipe.nutrition.as_ref()),
            tags: recipe.tags.join(", "),
            ingredients: recipe.ingredients.iter().map(|placed| Row::of(&placed.what)).collect(),
            steps: recipe.steps.iter().map(|placed| RowOfSteps::of(&placed.what)).collect(),
        }
    }

    /// What somebody sent.
    pub(crate) fn sent(pairs: &Pairs) -> Fields {
        let one = |name: &str| pairs.all(name).next().unwrap_or_default().to_owned();
        let column = |name: &str| pairs.all(name).map(str::to_owned).collect::<Vec<_>>();
        let cell = |column: &[String], at: usize| column.get(at).cloned().unwrap_or_default();
        let (quantity, unit, name) = (column("i.quantity"), column("i.unit"), column("i.name"));
        let (notes, section) = (column("i.notes"), column("i.section"));
        let (scales, original) = (column("i.scales"), column("i.original"));
        let ingredients = (0..name.len().min(MOST_ROWS)).map(|at| Row {
            quantity: cell(&quantity, at),
            unit: cell(&unit, at),
            name: cell(&name, at),
            notes: cell(&notes, at),
            section: cell(&section, at),
            scales: cell(&scales, at),
            original: cell(&original, at),
        });
        let (instruction, minutes) = (column("s.instruction"), column("s.minutes"));
        let (temperature, degrees, over) =
            (column("s.temperature"), column("s.degrees"), column("s.section"));
        let steps = (0..instruction.len().min(MOST_ROWS)).map(|at| RowOfSteps {
            instruction: cell(&instruction, at),
            minutes: cell(&minutes, at),
            temperature: cell(&temperature, at),
            degrees: cell(&degrees, at),
            section: cell(&over, at),
        });
        Fields {
            version: one("version"),
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
            ingredients: ingredients.collect(),
            steps: steps.collect(),
        }
    }

    /// The version the form was made for.
    pub(crate) fn version(&self) -> Option<Version> {
        self.version.parse().ok().map(Version)
    }

    /// Adds, moves or removes a row, if the button says so, and gives the field to go to: `i-3`, `s-0`.
    pub(crate) fn rearrange(&mut self, button: Option<&str>) -> Option<String> {
        let mut words = button?.split('-');
        let (list, action) = (words.next()?, words.next()?);
        let at = words.next().and_then(|at| at.parse().ok()).unwrap_or(usize::MAX);
        let now = match list {
            "i" => moved(&mut self.ingredients, action, at)?,
            "s" => moved(&mut self.steps, action, at)?,
            _ => return None,
        };
        Some(format!("{list}-{now}"))
    }
}

fn moved<T: Default>(rows: &mut Vec<T>, action: &str, at: usize) -> Option<usize> {
    match action {
        "add" if rows.len() < MOST_ROWS => {
            rows.push(T::default());
            Some(rows.len() - 1)
        }
        "up" if at > 0 && at < rows.len() => {
            rows.swap(at, at - 1);
            Some(at - 1)
        }
        "down" if at < rows.len().saturating_sub(1) => {
            rows.swap(at, at + 1);
            Some(at + 1)
        }
        "remove" if at < rows.len() => {
            rows.remove(at);
            Some(at.min(rows.len().saturating_sub(1)))
        }
        // A row that cannot go further, or is not there, changes nothing, and the form is not saved either.
        "add" | "up" | "down" | "remove" => Some(at.min(rows.len().saturating_sub(1))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, Row};

    fn names(fields: &Fields) -> String {
        fields.ingredients.iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join("")
    }

    #[test]
    fn rows_move_and_go() {
        let row = |name: &str| Row { name: name.to_owned(), ..Row::default() };
        let mut fields = Fields { ingredients: ["a", "b", "c"].map(row).to_vec(), ..Fields::default() };
        for (button, focus, expected) in [
            ("i-up-2", "i-1", "acb"),
            ("i-down-0", "i-1", "cab"),
            ("i-up-0", "i-0", "cab"),
            ("i-down-2", "i-2", "cab"),
            ("i-remove-1", "i-1", "cb"),
            ("i-remove-9", "i-1", "cb"),
            ("i-add", "i-2", "cb"),
        ] {
            assert_eq!(fields.rearrange(Some(button)).as_deref(), Some(focus), "{button}");
            assert_eq!(names(&fields), expected, "{button}");
        }
        assert_eq!(fields.rearrange(Some("save")), None);
        assert_eq!(fields.rearrange(None), None);
    }
}
