//! schema.org recipes as JSON, with what real pages make of them: lists for single things and single things for lists,
//! `@graph` with `false` in it, sections and item lists of steps, ranges, HTML in text, references by `@id`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::draft::Draft;
use crate::ingredient::Ingredient;
use crate::number::Whole;
use crate::step::Step;
use crate::text::Text;

use super::fitting::{self, Fitter};
use super::html::plain;
use super::{Image, Import, Imported, MOST_RECIPES, amount, duration, line};

/// How deep things may be inside each other.
const MOST_DEPTH: usize = 32;

/// The longest address of a picture.
const MOST_ADDRESS: usize = 4_000;

type Object = Map<String, Value>;

/// Every recipe in it, wherever it is.
pub(super) fn read(value: &Value) -> Import {
    let (mut recipes, mut known) = (Vec::new(), HashMap::new());
    walk(value, 0, &mut recipes, &mut known);
    let mut found = Import::default();
    for recipe in recipes {
        match one(recipe, &known) {
            Some(recipe) => found.recipes.push(recipe),
            None => found.problems.push("a recipe without a name was left out".to_owned()),
        }
    }
    // A page may say the same thing twice.
    found.recipes.dedup_by(|one, other| one.draft == other.draft);
    found
}

fn walk<'a>(
    value: &'a Value,
    depth: usize,
    recipes: &mut Vec<&'a Object>,
    known: &mut HashMap<&'a str, &'a Object>,
) {
    if depth > MOST_DEPTH || recipes.len() > MOST_RECIPES {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| walk(value, depth + 1, recipes, known)),
        Value::Object(object) => {
            if let Some(Value::String(id)) = object.get("@id")
                && object.len() > 1
            {
                known.entry(id).or_insert(object);
            }
            if is_a(object, "Recipe") {
                recipes.push(object);
            } else {
                object.values().for_each(|value| walk(value, depth + 1, recipes, known));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_a(object: &Object, kind: &str) -> bool {
    let named =
        |value: &Value| value.as_str().is_some_and(|name| name.rsplit(['/', ':', '#']).next() == Some(kind));
    match object.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(named),
        Some(other) => named(other),
        None => false,
    }
}

fn one(recipe: &Object, known: &HashMap<&str, &Object>) -> Option<Imported> {
    let mut fitter = Fitter::default();
    let get = |key: &str| recipe.get(key).unwrap_or(&Value::Null);
    let title = ["name", "headline"].iter().find_map(|key| text(get(key)));
    let title = fitter.text("title", &title?.replace('\n', " "))?;
    let mut yields = texts(get("recipeYield"));
    yields.extend(texts(get("yield")));
    let servings = yields.iter().find_map(|text| servings_of(text));
    // `4` says no more than the servings do.
    let yield_text = yields.iter().max_by_key(|text| text.len()).filter(|text| text.parse::<f64>().is_err());
    let prep = duration::minutes(get("prepTime")).filter(|minutes| *minutes > 0);
    let total = duration::minutes(get("totalTime")).filter(|minutes| *minutes > 0);
    let cook = duration::minutes(get("cookTime")).filter(|minutes| *minutes > 0);
    // Where only the whole is known, what is not preparation is cooking.
    let cook = cook.or_else(|| total.map(|total| total - prep.unwrap_or(0)).filter(|rest| *rest > 0));
    let mut tags: Vec<String> = Vec::new();
    for key in ["recipeCategory", "recipeCuisine", "keywords"] {
        tags.extend(
            texts(get(key)).iter().flat_map(|text| text.split([',', ';'])).map(|tag| tag.trim().to_owned()),
        );
    }
    tags.retain(|tag| !tag.is_empty() && tag.chars().count() <= 50);
    let draft = Draft {
        description: text(get("description")).and_then(|text| fitter.text("description", &text)),
        prep_time_minutes: prep.and_then(fitting::minutes),
        cook_time_minutes: cook.and_then(fitting::minutes),
        servings,
        difficulty: None,
        rating: None,
        yield_text: yield_text.and_then(|text| fitter.text("yield_text", text)),
        source_url: address(get("url"))
            .or_else(|| address(get("mainEntityOfPage")))
            .and_then(|url| Text::new(url).ok()),
        notes: None,
        nutrition: nutrition(get("nutrition")).and_then(|text| fitter.text("nutrition", &text)),
        tags: fitter.tags(tags.iter().map(String::as_str)),
        ingredients: ingredients(recipe, &mut fitter),
        steps: steps(get("recipeInstructions"), &mut fitter),
        title,
    };
    let picture =
        image(get("image"), known, 0).or_else(|| image(get("thumbnailUrl"), known, 0)).map(Image::At);
    Some(Imported { draft, picture, remarks: fitter.remarks })
}

/// Text of a value; of several the first that has some.
fn text(value: &Value) -> Option<String> {
    texts(value).into_iter().next()
}

/// All texts of a value, plain and not empty.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => Some(plain(text)).filter(|text| !text.is_empty()).into_iter().collect(),
        Value::Number(number) => vec![number.to_string()],
        Value::Array(values) => {
            fitting::some(values).filter(|value| !value.is_array()).flat_map(texts).collect()
        }
        Value::Object(object) => ["@value", "name", "text", "value"]
            .iter()
            .find_map(|key| object.get(*key).filter(|value| value.is_string() || value.is_number()))
            .map(texts)
            .unwrap_or_default(),
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

/// `4-6 servings`, `Serves 4`, `4`: the first number. `24 cookies` are not for 24 people.
pub(super) fn servings_of(text: &str) -> Option<crate::number::Servings> {
    let lower = text.to_lowercase();
    let start = lower.find(|c: char| c.is_ascii_digit())?;
    let (number, _, rest) = amount::range(lower.get(start..)?)?;
    let rest = rest.trim_start();
    let people = [
        "serv", "person", "people", "portion", "port", "guest", "adult", "pers", "racion", "raciones",
        "comensal", "plate",
    ];
    let counts = rest.is_empty()
        || people.iter().any(|word| {
            rest.starts_with(word) || lower.get(..start).is_some_and(|before| before.contains(word))
        });
    #[allow(clippy::cast_possible_truncation, reason = "amounts have at most nine digits")]
    counts.then_some(number.round() as i64).and_then(fitting::servings)
}

fn ingredients(recipe: &Object, fitter: &mut Fitter) -> Option<crate::ingredient::Ingredients> {
    let list = ["recipeIngredient", "ingredients"].iter().find_map(|key| recipe.get(*key));
    let mut lines = texts(list?);
    // One text with a line for each.
    if let [all] = lines.as_slice()
        && all.contains('\n')
    {
        lines = fitting::lines(all).map(str::to_owned).collect();
    }
    let mut section: Option<String> = None;
    let mut read: Vec<Ingredient> = Vec::new();
    for text in lines {
        let text = text.replace('\n', " ");
        // A heading among the lines: `For the sauce:`.
        if let Some(heading) =
            text.trim().strip_suffix(':').filter(|heading| !heading.contains(|c: char| c.is_ascii_digit()))
        {
            section = Some(fitting::start(heading));
            continue;
        }
        if let Some(mut ingredient) = line::one(&text, fitter) {
            ingredient.section = section.as_deref().and_then(|section| fitter.text("section", section));
            read.push(ingredient);
        }
    }
    fitter.few("ingredients", read)
}

fn steps(value: &Value, fitter: &mut Fitter) -> Option<crate::step::Steps> {
    let mut steps = Vec::new();
    collect(value, None, 0, fitter, &mut steps);
    fitter.few("steps", steps)
}

fn collect(value: &Value, section: Option<&str>, depth: usize, fitter: &mut Fitter, steps: &mut Vec<Step>) {
    if depth > MOST_DEPTH || steps.len() > 1_000 {
        return;
    }
    match value {
        // One text is several steps where it has several lines.
        Value::String(text) => {
            for line in fitting::lines(&plain(text)) {
                let line = line
                    .trim_start_matches(|c: char| c.is_ascii_digit())
                    .trim_start_matches(['.', ')'])
                    .trim();
                steps.extend(step(line, section, fitter));
            }
        }
        Value::Array(values) => {
            for value in values {
                collect(value, section, depth + 1, fitter, steps);
            }
        }
        Value::Object(object) => {
            let inner = ["itemListElement", "steps"].iter().find_map(|key| object.get(*key));
            let name = object.get("name").and_then(text);
            match inner {
                Some(inner) if !is_a(object, "HowToStep") || !object.contains_key("text") => {
                    let heading =
                        name.filter(|_| is_a(object, "HowToSection")).map(|name| fitting::start(&name));
                    collect(inner, heading.as_deref().or(section), depth + 1, fitter, steps);
                }
                Some(_) | None => {
                    if let Some(item) = object.get("item") {
                        return collect(item, section, depth + 1, fitter, steps);
                    }
                    let said =
                        object.get("text").or_else(|| object.get("description")).and_then(text).or(name);
                    let before = steps.len();
                    steps.extend(said.and_then(|said| step(&said, section, fitter)));
                    let takes = ["timeRequired", "totalTime", "performTime"].iter();
                    let takes = takes.filter_map(|key| object.get(*key)).find_map(duration::minutes);
                    if let (Some(minutes), Some(step)) = (takes, steps.get_mut(before)) {
                        step.duration_minutes = fitting::minutes(minutes);
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(super) fn step(text: &str, section: Option<&str>, fitter: &mut Fitter) -> Option<Step> {
    Some(Step {
        instruction: fitter.text("steps", text)?,
        duration_minutes: None,
        temperature_value: None::<Whole<-100, 2_000>>,
        temperature_unit: None,
        section: section.and_then(|section| fitter.text("section", section)),
    })
}

/// The address of a picture: text, an object with one, a list of either, or a reference to one elsewhere on the page.
fn image(value: &Value, known: &HashMap<&str, &Object>, depth: usize) -> Option<String> {
    if depth > 4 {
        return None;
    }
    match value {
        // Many recipes may refer to the same one.
        Value::String(url) if url.len() > MOST_ADDRESS => None,
        Value::String(url) => Some(plain(url)).filter(|url| url.starts_with("http")),
        Value::Array(values) => values.iter().find_map(|value| image(value, known, depth + 1)),
        Value::Object(object) => {
            let own = ["contentUrl", "url", "@url"].iter().filter_map(|key| object.get(*key));
            own.into_iter().find_map(|value| image(value, known, depth + 1)).or_else(|| {
                let other = known.get(object.get("@id")?.as_str()?)?;
                ["contentUrl", "url"].iter().find_map(|key| image(other.get(*key)?, known, depth + 1))
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn address(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(url) => url.as_str(),
        Value::Object(object) => object.get("@id").or_else(|| object.get("url"))?.as_str()?,
        Value::Array(values) => return values.iter().find_map(address),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    text.starts_with("http").then(|| text.to_owned())
}

/// `Calories: 200 kcal; Fat: 3 g`: in words, as the page has it.
fn nutrition(value: &Value) -> Option<String> {
    let object = match value {
        Value::Object(object) => object,
        other => return text(other),
    };
    let facts = object.iter().filter(|(key, _)| !key.starts_with('@')).filter_map(|(key, value)| {
        let words: String = key.trim_end_matches("Content").chars().fold(String::new(), |mut words, c| {
            if c.is_uppercase() {
                words.push(' ');
            }
            words.extend(c.to_lowercase());
            words
        });
        Some(format!("{}: {}", words.trim(), text(value)?))
    });
    Some(facts.collect::<Vec<_>>().join("; ")).filter(|facts| !facts.is_empty())
}
