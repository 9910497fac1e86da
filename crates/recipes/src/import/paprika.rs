//! Paprika: an archive of gzipped JSON, a recipe each.

use serde::Deserialize;

use crate::draft::Draft;
use crate::number::Whole;

use super::bounded::{self, gunzip};
use super::fitting::{self, Fitter};
use super::{Image, Imported, NoImport, duration, json_ld, line};

/// What we take of it; all of it may be missing, empty or null.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    ingredients: Option<String>,
    #[serde(default)]
    directions: Option<String>,
    #[serde(default)]
    notes: Option<String>,
    #[serde(default)]
    nutritional_info: Option<String>,
    #[serde(default)]
    servings: Option<String>,
    #[serde(default)]
    prep_time: Option<String>,
    #[serde(default)]
    cook_time: Option<String>,
    #[serde(default)]
    source_url: Option<String>,
    #[serde(default)]
    rating: Option<i64>,
    #[serde(default)]
    categories: Option<Vec<String>>,
    #[serde(default)]
    photo_data: Option<String>,
}

/// The recipe of one entry.
pub(super) fn one(bytes: &[u8]) -> Result<Imported, NoImport> {
    let json = gunzip(bytes)?;
    let entry: Entry = bounded::json(&json)?;
    let mut fitter = Fitter::default();
    let title = entry.name.as_deref().and_then(|name| fitter.text("title", name)).ok_or(NoImport::Nothing)?;
    let mut section: Option<String> = None;
    let mut ingredients = Vec::new();
    for text in fitting::lines(&entry.ingredients.unwrap_or_default()) {
        if let Some(heading) = text.trim().strip_suffix(':') {
            section = Some(fitting::start(heading));
        } else if let Some(mut ingredient) = line::one(text, &mut fitter) {
            ingredient.section = section.as_deref().and_then(|section| fitter.text("section", section));
            ingredients.push(ingredient);
        }
    }
    let directions = entry.directions.unwrap_or_default();
    let steps =
        fitting::lines(&directions).filter_map(|line| json_ld::step(line, None, &mut fitter)).collect();
    let minutes =
        |text: Option<String>| text.and_then(|text| duration::text_minutes(&text)).and_then(fitting::minutes);
    let mut text = |field: &str, text: Option<String>| text.and_then(|text| fitter.text(field, &text));
    let description = text("description", entry.description);
    let mut fitter_two = Fitter::default();
    let draft = Draft {
        title,
        description,
        prep_time_minutes: minutes(entry.prep_time),
        cook_time_minutes: minutes(entry.cook_time),
        servings: entry.servings.as_deref().and_then(json_ld::servings_of),
        difficulty: None,
        rating: entry.rating.and_then(|rating| Whole::new(rating).ok()),
        yield_text: entry
            .servings
            .filter(|text| text.trim().parse::<f64>().is_err())
            .and_then(|text| fitter_two.text("yield_text", &text)),
        source_url: entry.source_url.and_then(|url| fitter_two.text("source_url", &url)),
        notes: entry.notes.and_then(|text| fitter_two.text("notes", &text)),
        nutrition: entry.nutritional_info.and_then(|text| fitter_two.text("nutrition", &text)),
        tags: fitter_two.tags(entry.categories.unwrap_or_default().iter().map(String::as_str)),
        ingredients: fitter_two.few("ingredients", ingredients),
        steps: fitter_two.few("steps", steps),
    };
    let picture = entry.photo_data.and_then(|data| {
        let clean: String = data.split_whitespace().collect();
        base64_simd::STANDARD.decode_to_vec(clean).ok().map(|bytes| Image::Bytes(bytes.into()))
    });
    let mut remarks = fitter.remarks;
    remarks.append(&mut fitter_two.remarks);
    Ok(Imported { draft, picture, remarks })
}
