//! A recipe as schema.org JSON-LD.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::ingredient::Ingredient;
use crate::recipe::{Placed, Recipe};
use crate::step::Step;

/// The recipe, as other programs and search engines read it.
pub fn json_ld(recipe: &Recipe) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(key.to_owned(), value);
        }
    };
    let text = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(Value::from);
    put("@context", Some("https://schema.org".into()));
    put("@type", Some("Recipe".into()));
    put("name", text(Some(recipe.title.as_str())));
    put("description", text(recipe.description.as_ref().map(AsRef::as_ref)));
    put("url", text(recipe.source_url.as_ref().map(AsRef::as_ref)));
    let minutes = |minutes: Option<crate::number::Minutes>| minutes.map(|minutes| duration(minutes.get()));
    put("prepTime", minutes(recipe.prep_time_minutes));
    put("cookTime", minutes(recipe.cook_time_minutes));
    let total = [recipe.prep_time_minutes, recipe.cook_time_minutes];
    let total = total.into_iter().flatten().map(crate::number::Whole::get).reduce(|one, other| one + other);
    put("totalTime", total.map(duration));
    let servings = recipe.servings.map(|servings| format!("{servings} servings"));
    let yields: Vec<String> =
        servings.into_iter().chain(recipe.yield_text.as_ref().map(ToString::to_string)).collect();
    put("recipeYield", (!yields.is_empty()).then(|| yields.into()));
    put("keywords", (!recipe.tags.is_empty()).then(|| recipe.tags.join(", ").into()));
    let lines: Vec<String> = recipe.ingredients.iter().map(|placed| line(&placed.what)).collect();
    put("recipeIngredient", (!lines.is_empty()).then(|| lines.into()));
    put("recipeInstructions", (!recipe.steps.is_empty()).then(|| instructions(&recipe.steps)));
    put("dateCreated", Some(recipe.created_at.to_string().into()));
    put("dateModified", Some(recipe.updated_at.to_string().into()));
    Value::Object(out)
}

fn duration(minutes: i64) -> Value {
    format!("PT{minutes}M").into()
}

/// An ingredient as people write it: `2–3 cup flour, sifted`.
pub(super) fn line(ingredient: &Ingredient) -> String {
    let mut line = String::new();
    if let Some(low) = ingredient.quantity {
        line.push_str(&low.get().to_string());
        if let Some(high) = ingredient.quantity_max {
            let _ = write!(line, "-{}", high.get());
        }
        line.push(' ');
    }
    if let Some(unit) = ingredient.unit.as_ref().filter(|unit| !unit.is_empty()) {
        line.push_str(unit.as_str());
        line.push(' ');
    }
    line.push_str(ingredient.name.as_str());
    if let Some(notes) = ingredient.notes.as_ref().filter(|notes| !notes.is_empty()) {
        line.push_str(", ");
        line.push_str(notes.as_str());
    }
    line
}

/// Steps under a heading become a section.
fn instructions(steps: &[Placed<Step>]) -> Value {
    let mut out: Vec<Value> = Vec::new();
    for chunk in steps.chunk_by(|one, other| one.what.section == other.what.section) {
        let list: Vec<Value> = chunk.iter().map(|placed| step(&placed.what)).collect();
        match chunk.first().and_then(|first| first.what.section.as_ref()) {
            Some(section) => {
                out.push(json!({ "@type": "HowToSection", "name": section, "itemListElement": list }));
            }
            None => out.extend(list),
        }
    }
    out.into()
}

fn step(step: &Step) -> Value {
    let mut out = json!({ "@type": "HowToStep", "text": step.instruction });
    if let (Some(minutes), Some(out)) = (step.duration_minutes, out.as_object_mut()) {
        out.insert("timeRequired".to_owned(), duration(minutes.get()));
    }
    out
}
