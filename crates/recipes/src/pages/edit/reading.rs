//! What the texts of the form mean, or what is wrong with them.

use std::fmt::Display;

use super::fields::{Fields, Row, RowOfSteps};
use crate::draft::{Change, Changes, Draft};
use crate::few::Few;
use crate::ingredient::Ingredient;
use crate::number::{Amount, Whole};
use crate::recipe::Version;
use crate::step::{Degrees, Step};
use crate::text::Text;

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
    fn keep<T, E: Display>(&mut self, field: &str, read: Result<T, E>) -> Option<T> {
        read.map_err(|reason| self.0.push(Complaint::new(field, reason))).ok()
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
        let number = text.parse::<i64>().map_err(|_| format!("expected a whole number from {MIN} to {MAX}"));
        let number = self.keep(field, number)?;
        self.keep(field, Whole::new(number))
    }
}

impl Fields {
    /// The recipe that the form describes.
    pub(crate) fn read(&self) -> Result<Draft, Vec<Complaint>> {
        let mut reader = Reader::default();
        let title = reader.keep("title", Text::new(&self.title));
        let tags = self.tags.split(',').filter(|tag| !tag.trim().is_empty());
        let tags: Vec<_> = tags.filter_map(|tag| reader.keep("tags", Text::new(tag))).collect();
        let ingredients: Vec<_> =
            (0..).zip(&self.ingredients).filter_map(|(at, row)| ingredient(&mut reader, at, row)).collect();
        let steps: Vec<_> =
            (0..).zip(&self.steps).filter_map(|(at, row)| step(&mut reader, at, row)).collect();
        let draft = title.map(|title| Draft {
            title,
            description: reader.text("description", &self.description),
            prep_time_minutes: reader.whole("prep", &self.prep),
            cook_time_minutes: reader.whole("cook", &self.cook),
            servings: reader.whole("servings", &self.servings),
            difficulty: reader.whole("difficulty", &self.difficulty),
            rating: reader.whole("rating", &self.rating),
            yield_text: reader.text("yield", &self.yield_text),
            source_url: reader.text("source", &self.source),
            notes: reader.text("notes", &self.notes),
            nutrition: reader.text("nutrition", &self.nutrition),
            tags: reader.keep("tags", Few::new(tags)),
            ingredients: reader.keep("i.name-0", Few::new(ingredients)),
            steps: reader.keep("s.instruction-0", Few::new(steps)),
        });
        match draft {
            Some(draft) if reader.0.is_empty() => Ok(draft),
            _ => Err(reader.0),
        }
    }
}

fn ingredient(reader: &mut Reader, at: usize, row: &Row) -> Option<Ingredient> {
    if row.is_blank() {
        return None;
    }
    let field = |name: &str| format!("i.{name}-{at}");
    let quantity = match row.quantity.trim() {
        "" => Some((None, None)),
        text => {
            reader.keep(&field("quantity"), range(text).ok_or("expected an amount such as 2, 1½, 3/4 or 2-3"))
        }
    };
    let unit = reader.text(&field("unit"), &row.unit);
    let notes = reader.text(&field("notes"), &row.notes);
    let section = reader.text(&field("section"), &row.section);
    let name = reader.keep(&field("name"), Text::new(&row.name))?;
    let (quantity, quantity_max) = quantity?;
    let original_text = Text::new(&row.original).ok().filter(|text| !text.is_empty());
    let scales = row.scales != "no";
    Some(Ingredient { name, quantity, quantity_max, unit, notes, section, original_text, scales })
}

fn step(reader: &mut Reader, at: usize, row: &RowOfSteps) -> Option<Step> {
    if row.is_blank() {
        return None;
    }
    let field = |name: &str| format!("s.{name}-{at}");
    let duration_minutes = reader.whole(&field("minutes"), &row.minutes);
    let temperature_value = reader.whole(&field("temperature"), &row.temperature);
    let degrees = Degrees::stored(&row.degrees).unwrap_or(Degrees::Celsius);
    let section = reader.text(&field("section"), &row.section);
    let instruction = reader.keep(&field("instruction"), Text::new(&row.instruction))?;
    let temperature_unit = temperature_value.map(|_| degrees);
    Some(Step { instruction, duration_minutes, temperature_value, temperature_unit, section })
}

/// An amount, or two with a dash between them.
fn range(text: &str) -> Option<(Option<Amount>, Option<Amount>)> {
    let mut ends = text.split(['-', '–']);
    let (least, most) = (amount(ends.next()?)?, ends.next().map(amount));
    if ends.next().is_some() || most == Some(None) {
        return None;
    }
    Some((Some(least), most.flatten().filter(|most| *most > least)))
}

/// `2`, `1.5`, `1,5`, `3/4`, `1 1/2`, `1½`, `½`.
fn amount(text: &str) -> Option<Amount> {
    const SIGNS: &[(char, f64)] = &[
        ('½', 0.5),
        ('¼', 0.25),
        ('¾', 0.75),
        ('⅓', 1.0 / 3.0),
        ('⅔', 2.0 / 3.0),
        ('⅛', 0.125),
        ('⅜', 0.375),
        ('⅝', 0.625),
        ('⅞', 0.875),
    ];
    let text = text.trim().replace(',', ".");
    let sign = text.chars().last().and_then(|last| SIGNS.iter().find(|(sign, _)| *sign == last));
    let (text, part) = match sign {
        Some((sign, value)) => (text.strip_suffix(*sign).unwrap_or(&text).trim(), Some(*value)),
        None => (text.as_str(), None),
    };
    let one = |word: &str| match word.split_once('/') {
        Some((over, under)) => {
            let under: f64 = under.trim().parse().ok().filter(|under| *under > 0.0)?;
            Some(over.trim().parse::<f64>().ok()? / under)
        }
        None => word.parse().ok(),
    };
    let words = text.split_whitespace().map(one).collect::<Option<Vec<f64>>>()?;
    if words.len() > 2 || (words.is_empty() && part.is_none()) {
        return None;
    }
    Amount::new(words.iter().sum::<f64>() + part.unwrap_or(0.0)).ok().map(|amount| amount.times(1.0))
}

/// A form says everything about a recipe: what is empty there becomes empty.
pub(super) fn changes(draft: Draft, expected_version: Option<Version>) -> Changes {
    fn all<T>(field: Option<T>) -> Change<T> {
        field.map_or(Change::Clear, Change::Set)
    }
    Changes {
        expected_version,
        title: Some(draft.title),
        description: all(draft.description),
        prep_time_minutes: all(draft.prep_time_minutes),
        cook_time_minutes: all(draft.cook_time_minutes),
        servings: all(draft.servings),
        difficulty: all(draft.difficulty),
        rating: all(draft.rating),
        yield_text: all(draft.yield_text),
        source_url: all(draft.source_url),
        notes: all(draft.notes),
        nutrition: all(draft.nutrition),
        tags: Some(draft.tags.unwrap_or_default()),
        ingredients: Some(draft.ingredients.unwrap_or_default()),
        steps: Some(draft.steps.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::{Fields, Row};
    use super::{amount, range};
    use crate::number::Amount;

    #[test]
    fn amounts_are_read_as_people_type_them() {
        for (text, expected) in [
            ("2", 2.0),
            ("1.5", 1.5),
            ("1,5", 1.5),
            ("3/4", 0.75),
            ("1 1/2", 1.5),
            ("1½", 1.5),
            ("½", 0.5),
            ("2 ¼", 2.25),
        ] {
            assert_eq!(amount(text).map(Amount::get), Some(expected), "{text}");
        }
        for bad in ["", "a", "1/0", "1 2 3", "-1", "½½", "NaN", "inf"] {
            assert!(amount(bad).is_none(), "{bad}");
        }
        let (least, most) = range("2–3").expect("a range");
        assert_eq!((least.map(Amount::get), most.map(Amount::get)), (Some(2.0), Some(3.0)));
        assert!(range("2-").is_none() && range("1-2-3").is_none());
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let row = Row { quantity: "lots".to_owned(), name: "flour".to_owned(), ..Row::default() };
        let fields =
            Fields { servings: "0".to_owned(), ingredients: vec![Row::default(), row], ..Fields::default() };
        let complaints = fields.read().expect_err("refused");
        let about: Vec<&str> = complaints.iter().map(|complaint| complaint.field.as_str()).collect();
        assert_eq!(about, ["title", "i.quantity-1"]);
        let fields = Fields { title: "Soup".to_owned(), servings: "0".to_owned(), ..Fields::default() };
        assert_eq!(fields.read().expect_err("refused")[0].field, "servings");
    }
}
