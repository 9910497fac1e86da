//! A recipe as Cooklang.

use std::fmt::Write;

use crate::ingredient::Ingredient;
use crate::recipe::Recipe;

/// The recipe as text (writing to memory does not fail). Our steps do not say which ingredient goes where, so the ingredients stand in a step of their own at
/// the start of their section, as the language asks for them inside steps.
pub fn cooklang(recipe: &Recipe) -> String {
    let mut out = String::from("---\n");
    let mut put = |key: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "{key}: {}", one_line(value));
        }
    };
    put("title", recipe.title.as_str());
    put("description", recipe.description.as_ref().map_or("", |text| text.as_str()));
    let servings = recipe.servings.map(|servings| servings.to_string());
    put(
        "servings",
        servings.as_deref().or(recipe.yield_text.as_ref().map(AsRef::as_ref)).unwrap_or_default(),
    );
    let minutes =
        |minutes: Option<crate::number::Minutes>| minutes.map(|minutes| format!("{minutes} minutes"));
    put("prep time", &minutes(recipe.prep_time_minutes).unwrap_or_default());
    put("cook time", &minutes(recipe.cook_time_minutes).unwrap_or_default());
    put("source", recipe.source_url.as_ref().map_or("", |url| url.as_str()));
    put("tags", &recipe.tags.join(", "));
    put("notes", recipe.notes.as_ref().map_or("", |text| text.as_str()));
    out.push_str("---\n\n");
    let mut section = None;
    for chunk in recipe.ingredients.chunk_by(|one, other| one.what.section == other.what.section) {
        let heading = chunk.first().and_then(|first| first.what.section.as_ref());
        if heading != section {
            let _ = write!(out, "= {}\n\n", heading.map_or("", |heading| heading.as_str()));
            section = heading;
        }
        let list: Vec<String> = chunk.iter().map(|placed| ingredient(&placed.what)).collect();
        let _ = write!(out, "Take {}.\n\n", list.join(", "));
    }
    for placed in &recipe.steps {
        let step = &placed.what;
        if step.section.as_ref() != section {
            let _ = write!(out, "= {}\n\n", step.section.as_ref().map_or("", |heading| heading.as_str()));
            section = step.section.as_ref();
        }
        out.push_str(&unmarked(&one_line(step.instruction.as_str())));
        if let Some(minutes) = step.duration_minutes {
            let _ = write!(out, " ~{{{minutes}%minutes}}");
        }
        out.push_str("\n\n");
    }
    out
}

fn ingredient(ingredient: &Ingredient) -> String {
    let mut given = String::new();
    if let Some(low) = ingredient.quantity {
        if !ingredient.scales {
            given.push('=');
        }
        given.push_str(&low.get().to_string());
        if let Some(high) = ingredient.quantity_max {
            let _ = write!(given, "-{}", high.get());
        }
    }
    if let Some(unit) = ingredient.unit.as_ref().filter(|unit| !unit.is_empty()) {
        let _ = write!(given, "%{}", unit.as_str().replace(['{', '}', '%'], " "));
    }
    let name = unmarked(ingredient.name.as_str()).replace(['{', '}', '.', ','], " ");
    let notes = ingredient.notes.as_ref().filter(|notes| !notes.is_empty());
    let notes = notes.map(|notes| format!("({})", notes.as_str().replace(['(', ')'], " ")));
    format!("@{}{{{given}}}{}", name.trim(), notes.unwrap_or_default())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without the marks of the language.
fn unmarked(text: &str) -> String {
    text.replace(['@', '#', '~'], "").replace("--", "–")
}
