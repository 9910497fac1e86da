//! Cooklang: recipes as text, with `@ingredient{amount%unit}`, `#pot{}` and `~{10%minutes}` inside the steps. A small
//! reader of our own: the language is these few marks, and a draft needs nothing beyond them.

use std::collections::HashMap;

use crate::draft::Draft;
use crate::ingredient::{Ingredient, Ingredients};
use crate::number::Amount;

use super::fitting::{self, Fitter};
use super::{Image, Imported, amount, duration, json_ld};

/// Reads a recipe. `None` if it has neither metadata nor ingredients: then it is some other text.
pub(super) fn read(text: &str, title: Option<&str>) -> Option<Imported> {
    let mut fitter = Fitter::default();
    let (metadata, body) = split(text);
    let (mut ingredients, mut steps): (Vec<Ingredient>, _) = (Vec::new(), Vec::new());
    let mut section: Option<String> = None;
    for paragraph in paragraphs(&body) {
        if let Some(name) = paragraph.strip_prefix('=') {
            section = Some(fitting::start(name.trim_matches(['=', ' ']))).filter(|name| !name.is_empty());
            continue;
        }
        let mut step = Reading::default();
        step.read(&paragraph);
        let room = (Ingredients::MOST + 1).saturating_sub(ingredients.len());
        for (name, given, note) in step.ingredients.into_iter().take(room) {
            let (quantity, quantity_max, unit, scales) = given_amount(&given);
            ingredients.push(Ingredient {
                name: fitter.text("ingredients", &name)?,
                quantity,
                quantity_max,
                unit: unit.and_then(|unit| fitter.text("unit", &unit)),
                notes: note.and_then(|note| fitter.text("notes", &note)),
                section: section.as_deref().and_then(|section| fitter.text("section", section)),
                original_text: None,
                scales,
            });
        }
        if let Some(mut read) = json_ld::step(&step.text, section.as_deref(), &mut fitter) {
            read.duration_minutes = fitting::minutes(step.minutes);
            steps.push(read);
        }
    }
    if metadata.is_empty() && ingredients.is_empty() {
        return None;
    }
    let get = |keys: &[&str]| keys.iter().find_map(|key| metadata.get(*key)).map(String::as_str);
    let minutes = |keys: &[&str]| get(keys).and_then(duration::text_minutes).and_then(fitting::minutes);
    let title = get(&["title", "name"]).or(title).unwrap_or("Untitled recipe");
    let yields = get(&["servings", "serves", "yield"]);
    let tags = get(&["tags", "tag"]).unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let tags: Vec<&str> = tags
        .split(',')
        .map(|tag| tag.trim().trim_matches(['"', '\'']))
        .filter(|tag| !tag.is_empty())
        .collect();
    let draft = Draft {
        title: fitter.text("title", title)?,
        description: get(&["description", "introduction"]).and_then(|text| fitter.text("description", text)),
        prep_time_minutes: minutes(&["prep time", "time.prep", "prep_time"]),
        cook_time_minutes: minutes(&[
            "cook time",
            "time.cook",
            "cook_time",
            "time",
            "duration",
            "time required",
        ]),
        servings: yields.and_then(json_ld::servings_of),
        difficulty: None,
        rating: None,
        yield_text: yields
            .filter(|text| text.parse::<f64>().is_err())
            .and_then(|text| fitter.text("yield_text", text)),
        source_url: get(&["source", "source.url"])
            .filter(|url| url.starts_with("http"))
            .and_then(|url| fitter.text("source_url", url)),
        notes: get(&["notes"]).and_then(|text| fitter.text("notes", text)),
        nutrition: None,
        tags: fitter.tags(tags),
        ingredients: fitter.few("ingredients", ingredients),
        steps: fitter.few("steps", steps),
    };
    let picture = get(&["image", "picture"]).filter(|url| url.starts_with("http"));
    Some(Imported { draft, picture: picture.map(|url| Image::At(url.to_owned())), remarks: fitter.remarks })
}

/// The metadata, by keys in lower case, and the rest without comments.
fn split(text: &str) -> (HashMap<String, String>, String) {
    let mut metadata = HashMap::new();
    let mut body = String::new();
    let mut put = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']);
        metadata.insert(key.trim().to_lowercase(), value.to_owned()).is_none().then_some(())
    };
    let mut lines = fitting::lines(text).peekable();
    if lines.peek().is_some_and(|first| first.trim() == "---") {
        lines.next();
        for line in lines.by_ref() {
            if line.trim() == "---" {
                break;
            }
            put(line);
        }
    }
    let mut in_comment = false;
    for line in lines {
        if let Some(entry) = line.trim_start().strip_prefix(">>") {
            put(entry);
            continue;
        }
        let mut rest = line.split_once("-- ").map_or(line, |(before, _)| before);
        rest = rest.strip_suffix("--").unwrap_or(rest);
        let mut kept = String::new();
        loop {
            let mark = if in_comment { "-]" } else { "[-" };
            let (before, after) =
                rest.split_once(mark).map_or((rest, None), |(before, after)| (before, Some(after)));
            if !in_comment {
                kept.push_str(before);
            }
            let Some(after) = after else { break };
            in_comment = !in_comment;
            rest = after;
        }
        body.push_str(kept.trim_end());
        body.push('\n');
    }
    (metadata, body)
}

/// Steps are paragraphs; a heading stands alone.
fn paragraphs(body: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in body.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('=') {
            all.push(line.to_owned());
            all.extend(line.starts_with('=').then(String::new));
        } else if let Some(last) = all.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            // Notes are part of the step they stand by.
            last.push_str(line.trim_start_matches('>').trim());
        }
    }
    all.retain(|paragraph| !paragraph.is_empty());
    all
}

/// A step: its text as people read it, and what its marks say.
#[derive(Default)]
struct Reading {
    text: String,
    ingredients: Vec<(String, String, Option<String>)>,
    minutes: i64,
}

impl Reading {
    fn read(&mut self, mut rest: &str) {
        while let Some(at) = rest.find(['@', '#', '~']) {
            let (before, marked) = rest.split_at(at);
            self.text.push_str(before);
            let mark = marked.chars().next().unwrap_or('@');
            let after = &marked[1..];
            let Some((name, given, note, left)) = marked_thing(after) else {
                self.text.push(mark);
                rest = after;
                continue;
            };
            rest = left;
            match mark {
                '@' => {
                    let name = name.trim_start_matches(['&', '?', '-', '+', '@']).to_owned();
                    self.text.push_str(&name);
                    if self.ingredients.len() <= Ingredients::MOST {
                        self.ingredients.push((name, given, note));
                    }
                }
                '#' => self.text.push_str(&name),
                _ => {
                    let said = given.replace('%', " ");
                    self.text.push_str(if said.is_empty() { &name } else { &said });
                    self.minutes += duration::text_minutes(&said).unwrap_or(0);
                }
            }
        }
        self.text.push_str(rest);
    }
}

/// How far away the end of a bracket is looked for: without an end to it, a text of brackets would be read once for each.
const MOST_INSIDE: usize = 500;

/// What comes before and after the end of a bracket.
fn closed(inside: &str, end: char) -> Option<(&str, &str)> {
    let at = inside.char_indices().take(MOST_INSIDE).find(|(_, c)| *c == end)?.0;
    Some((inside.get(..at)?, inside.get(at + end.len_utf8()..)?))
}

/// `name{given}(note)`, or one word. Several words need the braces.
fn marked_thing(text: &str) -> Option<(String, String, Option<String>, &str)> {
    let end_of_name = text.find(['{', '@', '#', '~', '.', ',', '\n']).unwrap_or(text.len());
    let (name, given, rest) = if let Some(inside) = text.get(end_of_name..)?.strip_prefix('{') {
        let (given, rest) = closed(inside, '}')?;
        (text.get(..end_of_name)?, given, rest)
    } else {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(text.len());
        (text.get(..end)?, "", text.get(end..)?)
    };
    if name.trim().is_empty() && given.is_empty() {
        return None;
    }
    let (note, rest) = match rest.strip_prefix('(').and_then(|inside| closed(inside, ')')) {
        Some((note, rest)) => (Some(note.to_owned()), rest),
        None => (None, rest),
    };
    Some((name.trim().to_owned(), given.trim().to_owned(), note, rest))
}

/// `=1%pinch` is fixed; `some` is no number and stays a word.
fn given_amount(given: &str) -> (Option<Amount>, Option<Amount>, Option<String>, bool) {
    let (fixed, given) = given.strip_prefix('=').map_or((false, given), |rest| (true, rest));
    let (number, unit) = given.split_once('%').unwrap_or((given, ""));
    let unit = Some(unit.trim().to_owned()).filter(|unit| !unit.is_empty());
    match amount::range(number.trim()) {
        Some((low, high, rest)) if rest.trim().is_empty() => {
            let amount = |number: f64| Amount::new((number * 1e6).round() / 1e6).ok();
            (amount(low), high.and_then(amount), unit, !fixed)
        }
        _ => {
            let words = Some(given.replace('%', " ")).filter(|words| !words.is_empty());
            (None, None, words, !fixed)
        }
    }
}
