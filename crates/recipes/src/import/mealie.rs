//! Mealie: a recipe as its API and its exports write it, and the database inside a backup.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::draft::Draft;
use crate::ingredient::Ingredient;
use crate::number::{Amount, Whole};

use super::fitting::{self, Fitter};
use super::html::plain;
use super::{Imported, duration, json_ld, line};

/// A recipe of Mealie; `None` if it is something else.
pub(super) fn one(value: &Value) -> Option<Imported> {
    let recipe = value.as_object()?;
    if recipe.contains_key("@type")
        || !(recipe.contains_key("slug") && recipe.contains_key("recipeIngredient"))
    {
        return None;
    }
    let mut fitter = Fitter::default();
    let ingredients = fitting::some(rows(recipe, "recipeIngredient"))
        .filter_map(|row| ingredient(row, &|row, key| name_of(row.get(key)?), &mut fitter))
        .collect();
    let steps = fitting::some(rows(recipe, "recipeInstructions"));
    let steps = steps.filter_map(|row| step(row, &mut fitter)).collect();
    let tags: Vec<String> = ["tags", "recipeCategory"]
        .iter()
        .filter_map(|key| recipe.get(*key)?.as_array())
        .flatten()
        .filter_map(name_of)
        .collect();
    let keys =
        Keys { times: ["prepTime", "performTime", "totalTime"], recipe_yield: "recipeYield", url: "orgURL" };
    draft(recipe, &keys, (ingredients, steps, tags), fitter)
}

/// The recipes of a backup's `database.json`; `None` if it is something else.
pub(super) fn database(value: &Value) -> Option<Vec<Imported>> {
    let tables = value.as_object()?;
    if !(tables.contains_key("recipes") && tables.contains_key("recipes_ingredients")) {
        return None;
    }
    // Ids are looked up for every line, so each table is gone through once.
    let named = |table: &str| -> HashMap<String, String> {
        let name = |row: &Row| Some((id_of(row.get("id")?), fitting::start(row.get("name")?.as_str()?)));
        rows(tables, table).filter_map(name).collect()
    };
    let by_recipe = |table: &str| -> HashMap<String, Vec<&Row>> {
        let mut by_recipe: HashMap<String, Vec<&Row>> = HashMap::new();
        for row in rows(tables, table) {
            if let Some(id) = row.get("recipe_id") {
                by_recipe.entry(id_of(id)).or_default().push(row);
            }
        }
        by_recipe
    };
    let (units, foods, tags) = (named("ingredient_units"), named("ingredient_foods"), named("tags"));
    let (mut lines, mut instructions) = (by_recipe("recipes_ingredients"), by_recipe("recipe_instructions"));
    let tagged = by_recipe("recipes_to_tags");
    let keys = Keys {
        times: ["prep_time", "perform_time", "total_time"],
        recipe_yield: "recipe_yield",
        url: "org_url",
    };
    let look_up = |row: &Row, key: &str| match key {
        "unit" => units.get(&id_of(row.get("unit_id")?)).cloned(),
        _ => foods.get(&id_of(row.get("food_id")?)).cloned(),
    };
    let all = rows(tables, "recipes").filter_map(|recipe| {
        let id = id_of(recipe.get("id")?);
        let mut fitter = Fitter::default();
        let ingredients = in_order(lines.remove(&id).unwrap_or_default());
        let ingredients =
            fitting::some(ingredients).filter_map(|row| ingredient(row, &look_up, &mut fitter)).collect();
        let steps = in_order(instructions.remove(&id).unwrap_or_default());
        let steps = fitting::some(steps).filter_map(|row| step(row, &mut fitter)).collect();
        let own = tagged.get(&id).into_iter().flatten();
        let own =
            fitting::some(own).filter_map(|row| tags.get(&id_of(row.get("tag_id")?)).cloned()).collect();
        draft(recipe, &keys, (ingredients, steps, own), fitter)
    });
    Some(all.take(super::MOST_RECIPES + 1).collect())
}

/// An id as text, be it a number or a UUID.
fn id_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

type Row = Map<String, Value>;

fn rows<'a>(of: &'a Row, key: &str) -> impl Iterator<Item = &'a Row> {
    of.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn in_order(mut rows: Vec<&Row>) -> Vec<&Row> {
    rows.sort_by_key(|row| row.get("position").and_then(Value::as_i64).unwrap_or(i64::MAX));
    rows
}

fn name_of(value: &Value) -> Option<String> {
    let name = value.as_str().or_else(|| value.get("name")?.as_str())?;
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

/// A parsed ingredient has a food; else its note is the whole line.
fn ingredient(
    row: &Row,
    look_up: &dyn Fn(&Row, &str) -> Option<String>,
    fitter: &mut Fitter,
) -> Option<Ingredient> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let section = text("title").and_then(|section| fitter.text("section", section));
    let original = text("originalText").or_else(|| text("original_text"));
    let Some(food) = look_up(row, "food") else {
        let whole = original.or_else(|| text("note")).or_else(|| text("display"))?;
        let mut read = line::one(&plain(whole), fitter)?;
        read.section = section;
        return Some(read);
    };
    let quantity = row.get("quantity").and_then(Value::as_f64).filter(|number| *number > 0.0);
    Some(Ingredient {
        name: fitter.text("ingredients", &food)?,
        quantity: quantity.and_then(|number| Amount::new(number).ok()),
        quantity_max: None,
        unit: look_up(row, "unit").and_then(|unit| fitter.text("unit", &unit)),
        notes: text("note").and_then(|note| fitter.text("notes", note)),
        section,
        original_text: original.and_then(|original| fitter.text("original_text", original)),
        scales: true,
    })
}

fn step(row: &Row, fitter: &mut Fitter) -> Option<crate::step::Step> {
    let text = row.get("text").and_then(Value::as_str)?;
    json_ld::step(&plain(text), row.get("title").and_then(Value::as_str), fitter)
}

struct Keys {
    times: [&'static str; 3],
    recipe_yield: &'static str,
    url: &'static str,
}

type Parts = (Vec<Ingredient>, Vec<crate::step::Step>, Vec<String>);

fn draft(
    recipe: &Row,
    keys: &Keys,
    (ingredients, steps, tags): Parts,
    mut fitter: Fitter,
) -> Option<Imported> {
    let text = |key: &str| recipe.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let minutes = |key: &str| recipe.get(key).and_then(duration::minutes).filter(|minutes| *minutes > 0);
    let [prep, cook, total] = keys.times.map(minutes);
    let cook = cook.or_else(|| total.map(|total| total - prep.unwrap_or(0)).filter(|rest| *rest > 0));
    let yields = text(keys.recipe_yield);
    let servings = recipe.get("recipeServings").or_else(|| recipe.get("recipe_servings"));
    let servings = servings.and_then(Value::as_f64).filter(|number| *number >= 1.0);
    #[allow(clippy::cast_possible_truncation, reason = "checked by the bounds of servings")]
    let servings = servings.and_then(|number| fitting::servings(number.round() as i64));
    let draft = Draft {
        title: fitter.text("title", text("name")?)?,
        description: text("description").and_then(|text| fitter.text("description", &plain(text))),
        prep_time_minutes: prep.and_then(fitting::minutes),
        cook_time_minutes: cook.and_then(fitting::minutes),
        servings: servings.or_else(|| yields.and_then(json_ld::servings_of)),
        difficulty: None,
        rating: recipe.get("rating").and_then(Value::as_i64).and_then(|rating| Whole::new(rating).ok()),
        yield_text: yields.and_then(|text| fitter.text("yield_text", text)),
        source_url: text(keys.url).and_then(|url| fitter.text("source_url", url)),
        notes: notes(recipe).and_then(|text| fitter.text("notes", &text)),
        nutrition: None,
        tags: fitter.tags(tags.iter().map(String::as_str)),
        ingredients: fitter.few("ingredients", ingredients),
        steps: fitter.few("steps", steps),
    };
    Some(Imported { draft, picture: None, remarks: fitter.remarks })
}

fn notes(recipe: &Row) -> Option<String> {
    let notes: Vec<String> = rows(recipe, "notes")
        .filter_map(|note| {
            let title = note.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
            let text = note.get("text").and_then(Value::as_str)?;
            Some(title.map_or_else(|| text.to_owned(), |title| format!("{title}: {text}")))
        })
        .collect();
    Some(notes.join("\n")).filter(|notes| !notes.is_empty())
}
