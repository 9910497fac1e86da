//! What the texts of the form mean, or what is wrong with them.

use std::collections::HashMap;
use std::fmt::Display;

use super::fields::{Fields, line, paragraph};
use crate::draft::{Change, Changes, Draft};
use crate::few::Few;
use crate::import::{read_ingredient, read_step};
use crate::ingredient::{Ingredient, Ingredients};
use crate::number::Whole;
use crate::recipe::{Recipe, Version};
use crate::step::Step;
use crate::text::Text;

/// The longest line of the ingredients.
const MOST_OF_A_LINE: usize = 500;

/// How much of a form is read, and how much is said about it: whoever sends more is told that it is too much, not each time.
const MOST_PARAGRAPHS: usize = 1_000;
const MOST_COMPLAINTS: usize = 50;

/// Something in the form that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) field: String,
    pub(crate) message: String,
}

impl Complaint {
    pub(crate) fn new(field: &str, message: impl Display) -> Complaint {
        Complaint { field: field.to_owned(), message: message.to_string() }
    }
}

/// Collects complaints, so that all are shown at once.
#[derive(Default)]
struct Reader(Vec<Complaint>);

impl Reader {
    fn complain(&mut self, field: &str, reason: impl Display) {
        if self.0.len() < MOST_COMPLAINTS {
            self.0.push(Complaint::new(field, reason));
        }
    }

    fn keep<T, E: Display>(&mut self, field: &str, read: Result<T, E>) -> Option<T> {
        read.map_err(|reason| self.complain(field, reason)).ok()
    }

    fn text<const MIN: usize, const MAX: usize>(
        &mut self,
        field: &str,
        text: &str,
    ) -> Option<Text<MIN, MAX>> {
        if text.trim().is_empty() && MIN == 0 { None } else { self.keep(field, Text::new(text)) }
    }

    fn whole<const MIN: i64, const MAX: i64>(&mut self, field: &str, text: &str) -> Option<Whole<MIN, MAX>> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let number =
            text.parse::<i64>().map_err(|_| format!("expected a whole number in the range {MIN}-{MAX}"));
        let number = self.keep(field, number)?;
        self.keep(field, Whole::new(number))
    }
}

impl Fields {
    /// The recipe that the form describes. Lines and paragraphs that stand in the recipe it was made from are what they were
    /// there; the others are read.
    pub(crate) fn read(&self, from: Option<&Recipe>) -> Result<Draft, Vec<Complaint>> {
        let mut reader = Reader::default();
        let title = match self.title.trim() {
            "" => reader.keep("title", Err("a recipe needs a title")),
            _ => reader.keep("title", Text::new(&self.title)),
        };
        let tags: Vec<_> =
            split_tags(&self.tags).iter().filter_map(|tag| reader.keep("tags", Text::new(tag))).collect();
        let ingredients = ingredients(&mut reader, &self.ingredients, from);
        let steps = steps(&mut reader, &self.steps, from);
        let description = reader.text("description", &self.description);
        let prep_time_minutes = reader.whole("prep", &self.prep);
        let cook_time_minutes = reader.whole("cook", &self.cook);
        let servings = reader.whole("servings", &self.servings);
        let difficulty = reader.whole("difficulty", &self.difficulty);
        let rating = reader.whole("rating", &self.rating);
        let yield_text = reader.text("yield", &self.yield_text);
        let source_url = reader.text("source", &self.source);
        let notes = reader.text("notes", &self.notes);
        let nutrition = reader.text("nutrition", &self.nutrition);
        let tags = reader.keep("tags", Few::new(tags));
        let ingredients = reader.keep("ingredients", Few::new(ingredients));
        let steps = reader.keep("steps", Few::new(steps));
        match title {
            Some(title) if reader.0.is_empty() => Ok(Draft {
                title,
                description,
                prep_time_minutes,
                cook_time_minutes,
                servings,
                difficulty,
                rating,
                yield_text,
                source_url,
                notes,
                nutrition,
                tags,
                ingredients,
                steps,
            }),
            _ => Err(reader.0),
        }
    }
}

/// Tags between commas; in quotes a comma is part of one.
fn split_tags(text: &str) -> Vec<String> {
    let (mut tags, mut tag, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if tags.len() > MOST_PARAGRAPHS {
            break;
        }
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => tag.extend(letters.next()),
            '"' if quoted || tag.trim().is_empty() => quoted = !quoted,
            ',' | '\n' if !quoted => tags.push(std::mem::take(&mut tag)),
            other => tag.push(other),
        }
    }
    tags.push(tag);
    tags.into_iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

/// A heading is a line that ends in a colon; `–:` ends the one before.
#[allow(clippy::option_option, reason = "a heading of nothing is a heading")]
fn heading(line: &str) -> Option<Option<Text<0, 100>>> {
    let name = line.strip_suffix(':').filter(|name| !name.contains(':') && !name.contains('\n'))?;
    if matches!(name.trim(), "" | "–" | "-") {
        return Some(None);
    }
    Text::new(name).ok().map(Some)
}

fn ingredients(reader: &mut Reader, text: &str, from: Option<&Recipe>) -> Vec<Ingredient> {
    let mut known: HashMap<String, Vec<&Ingredient>> = HashMap::new();
    for placed in from.iter().flat_map(|recipe| recipe.ingredients.iter().rev()) {
        known.entry(line(&placed.what)).or_default().push(&placed.what);
    }
    let mut section = None;
    let mut read = Vec::new();
    for written in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if read.len() > Ingredients::MOST {
            break;
        }
        if let Some(found) = heading(written) {
            section = found;
            continue;
        }
        if written.chars().count() > MOST_OF_A_LINE {
            let start: String = written.chars().take(40).collect();
            reader.complain("ingredients", format!("“{start}…” is too long for one ingredient"));
            continue;
        }
        let same = written.split_whitespace().collect::<Vec<_>>().join(" ");
        let same = known.get_mut(&same).and_then(Vec::pop).cloned();
        if let Some(ingredient) = same.or_else(|| read_ingredient(written)) {
            read.push(Ingredient { section: section.clone(), ..ingredient });
        }
    }
    read
}

fn steps(reader: &mut Reader, text: &str, from: Option<&Recipe>) -> Vec<Step> {
    let mut known: HashMap<String, Vec<&Step>> = HashMap::new();
    for placed in from.iter().flat_map(|recipe| recipe.steps.iter().rev()) {
        known.entry(paragraph(&placed.what)).or_default().push(&placed.what);
    }
    let mut section = None;
    let mut read = Vec::new();
    for written in paragraphs(text) {
        if let Some(found) = heading(&written) {
            section = found;
            continue;
        }
        let same = known.get_mut(&written).and_then(Vec::pop).cloned();
        let step = same.map_or_else(|| read_step(&written), Ok);
        if let Some(step) = reader.keep("steps", step) {
            read.push(Step { section: section.clone(), ..step });
        }
    }
    read
}

/// Blocks of lines with an empty line between them. A pasted list without empty lines, but with numbers, is a step a line.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if paragraphs.len() > MOST_PARAGRAPHS {
            break;
        }
        let numbered = line.split_once(['.', ')']).is_some_and(|(number, rest)| {
            !number.is_empty()
                && number.len() < 3
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && rest.starts_with(' ')
        });
        match paragraphs.last_mut() {
            _ if line.is_empty() => open = false,
            Some(last) if open && !numbered => {
                last.push('\n');
                last.push_str(line);
            }
            _ => {
                let bare = if numbered {
                    line.split_once([' ']).map_or(line, |(_, rest)| rest.trim())
                } else {
                    line
                };
                paragraphs.push(bare.to_owned());
                open = true;
            }
        }
    }
    paragraphs
}

/// What of a recipe a form changes: a field that says what the form said when it was opened stays as it is, to the byte.
pub(super) fn changes(before: &Draft, after: Draft, expected_version: Option<Version>) -> Changes {
    fn change<T: PartialEq>(before: Option<&T>, after: Option<T>) -> Change<T> {
        match (before, after) {
            (before, after) if before == after.as_ref() => Change::Keep,
            (_, Some(after)) => Change::Set(after),
            (_, None) => Change::Clear,
        }
    }
    fn list<T: PartialEq + Default>(before: Option<&T>, after: Option<T>) -> Option<T> {
        let after = after.unwrap_or_default();
        (before != Some(&after)).then_some(after)
    }
    Changes {
        expected_version,
        title: (before.title != after.title).then_some(after.title),
        description: change(before.description.as_ref(), after.description),
        prep_time_minutes: change(before.prep_time_minutes.as_ref(), after.prep_time_minutes),
        cook_time_minutes: change(before.cook_time_minutes.as_ref(), after.cook_time_minutes),
        servings: change(before.servings.as_ref(), after.servings),
        difficulty: change(before.difficulty.as_ref(), after.difficulty),
        rating: change(before.rating.as_ref(), after.rating),
        yield_text: change(before.yield_text.as_ref(), after.yield_text),
        source_url: change(before.source_url.as_ref(), after.source_url),
        notes: change(before.notes.as_ref(), after.notes),
        nutrition: change(before.nutrition.as_ref(), after.nutrition),
        tags: list(before.tags.as_ref(), after.tags),
        ingredients: list(before.ingredients.as_ref(), after.ingredients),
        steps: list(before.steps.as_ref(), after.steps),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fields::Fields;
    use super::{changes, paragraphs, split_tags};
    use crate::draft::Changes;
    use crate::recipe::Recipe;

    fn recipe() -> Recipe {
        let recipe = json!({
            "id": "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", "title": "Cake", "version": 3, "notes": "one\r\ntwo",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "tags": ["quick, easy", "cake"],
            "ingredients": [
                { "position": 0, "name": "flour", "quantity": 0.333_333, "unit": "cup", "section": "Dough", "original_text": "x" },
                { "position": 1, "name": "salt", "notes": "a pinch, or two", "scales": false },
            ],
            "steps": [
                { "position": 0, "instruction": "Mix.\n\nWait.", "duration_minutes": 5, "section": "Dough" },
                { "position": 1, "instruction": "Bake.", "temperature_value": 180, "temperature_unit": "Celsius" },
            ],
        });
        serde_json::from_value(recipe).expect("a recipe")
    }

    /// As a browser sends it.
    fn through_a_browser(fields: &Fields) -> Fields {
        let send = |text: &str| text.replace('\n', "\r\n");
        let pairs = [
            ("title", fields.title.clone()),
            ("notes", send(&fields.notes)),
            ("tags", fields.tags.clone()),
            ("ingredients", send(&fields.ingredients)),
            ("steps", send(&fields.steps)),
        ];
        Fields::sent(&crate::api::input::Pairs(pairs.map(|(name, text)| (name.to_owned(), text)).into()))
    }

    #[test]
    fn a_form_that_is_saved_as_it_was_opened_changes_nothing() {
        let recipe = recipe();
        let opened = Fields::of(&recipe);
        assert_eq!(opened.ingredients, "Dough:\n0.333333 cup flour\n\n–:\nsalt, a pinch, or two");
        let before = opened.read(Some(&recipe)).expect("read");
        let after = through_a_browser(&opened).read(Some(&recipe)).expect("read");
        assert_eq!(changes(&before, after, None), Changes::default());
        assert_eq!(before.tags.as_ref().map(|tags| tags.len()), Some(2));
    }

    #[test]
    fn a_changed_line_leaves_the_others_as_they_were() {
        let recipe = recipe();
        let opened = Fields::of(&recipe);
        let mut edited = through_a_browser(&opened);
        edited.ingredients.push_str("\n2 large eggs, beaten");
        edited.steps.push_str("\n\nCool for 20 minutes.");
        let after = edited.read(Some(&recipe)).expect("read");
        let ingredients = after.ingredients.clone().expect("ingredients").into_vec();
        assert_eq!(
            ingredients[..2],
            recipe.ingredients.iter().map(|placed| placed.what.clone()).collect::<Vec<_>>()
        );
        assert_eq!(ingredients[2].name.as_str(), "large eggs");
        assert_eq!(ingredients[2].quantity.map(crate::number::Amount::get), Some(2.0));
        let steps = after.steps.clone().expect("steps").into_vec();
        assert_eq!(steps[..2], recipe.steps.iter().map(|placed| placed.what.clone()).collect::<Vec<_>>());
        assert_eq!(steps[2].duration_minutes.map(crate::number::Whole::get), Some(20));
        let changed = changes(&opened.read(Some(&recipe)).expect("read"), after, None);
        assert!(changed.notes.is_keep() && changed.tags.is_none() && changed.ingredients.is_some());
    }

    #[test]
    fn tags_and_paragraphs_are_split_as_people_write_them() {
        assert_eq!(
            split_tags("soup, \"quick, easy\" , , a\"b, \"say \"\"hi\"\"\""),
            ["soup", "quick, easy", "a\"b", "say \"hi\""]
        );
        assert_eq!(paragraphs("Mix\nwell.\n\n\nBake."), ["Mix\nwell.", "Bake."]);
        assert_eq!(paragraphs("1. Mix.\n2. Bake.\n10) Eat."), ["Mix.", "Bake.", "Eat."]);
    }

    #[test]
    fn a_form_without_end_is_refused_in_few_words() {
        let lines = "a\n\n".repeat(200_000);
        let fields = Fields {
            title: "Long".to_owned(),
            ingredients: lines.clone(),
            steps: lines,
            tags: "a,".repeat(200_000),
            ..Fields::default()
        };
        let complaints = fields.read(None).expect_err("refused");
        let about: Vec<&str> = complaints.iter().map(|complaint| complaint.field.as_str()).collect();
        assert_eq!(about, ["tags", "ingredients", "steps"]);
        let long = Fields { ingredients: format!("{}\n", "a".repeat(501)).repeat(10_000), ..fields };
        assert!(long.read(None).expect_err("refused").len() <= super::MOST_COMPLAINTS);
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let fields = Fields { servings: "0".to_owned(), prep: "soon".to_owned(), ..Fields::default() };
        let complaints = fields.read(None).expect_err("refused");
        let about: Vec<&str> = complaints.iter().map(|complaint| complaint.field.as_str()).collect();
        assert_eq!(about, ["title", "prep", "servings"]);
    }
}
