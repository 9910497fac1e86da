//! Rows, read the same way whatever engine they come from.

use crate::card::{Card, Trashed};
use crate::family::{Family, Member};
use crate::id::{FamilyId, PhotoId};
use crate::ingredient::Ingredient;
use crate::key::{ApiKey, Opens};
use crate::photo::{Format, Photo, Picture};
use crate::plan::Meal;
use crate::recipe::{Placed, Recipe, Version};
use crate::session::Session;
use crate::share::{Opened, Share};
use crate::shopping::Item;
use crate::step::Step;

use super::edit::listed;
use super::sql::{Failure, Row};

/// A recipe, its family and its place in the order in which recipes came.
pub(super) struct Found {
    pub(super) seq: i64,
    pub(super) family: FamilyId,
    pub(super) recipe: Recipe,
}

pub(super) const RECIPES: &str = "SELECT seq, family_id, id, title, description, prep_time_minutes, cook_time_minutes, servings, \
     difficulty, rating, yield_text, source_url, notes, nutrition, tags, photo_id, times_cooked, last_cooked_at, \
     version, created_at, created_by, updated_at, updated_by, photos FROM recipes ";

/// A recipe without its ingredients and steps.
pub(super) fn recipe(row: &Row) -> Result<Found, Failure> {
    let recipe = Recipe {
        id: row.get(2)?,
        title: row.get(3)?,
        description: row.get(4)?,
        prep_time_minutes: row.get(5)?,
        cook_time_minutes: row.get(6)?,
        servings: row.get(7)?,
        difficulty: row.get(8)?,
        rating: row.get(9)?,
        yield_text: row.get(10)?,
        source_url: row.get(11)?,
        notes: row.get(12)?,
        nutrition: row.get(13)?,
        tags: listed(&row.get::<String>(14)?),
        photo_id: row.get(15)?,
        photos: listed(&row.get::<String>(23)?),
        times_cooked: count(row, 16)?,
        last_cooked_at: row.get(17)?,
        version: Version(row.get(18)?),
        created_at: row.get(19)?,
        created_by: row.get(20)?,
        updated_at: row.get(21)?,
        updated_by: row.get(22)?,
        ingredients: Vec::new(),
        steps: Vec::new(),
    };
    Ok(Found { seq: row.get(0)?, family: row.get(1)?, recipe })
}

pub(super) const INGREDIENTS: &str =
    "SELECT position, name, quantity, quantity_max, unit, notes, section, original_text, scales FROM ingredients
     WHERE family_id = $1 AND recipe_id = $2 ORDER BY position";

pub(super) fn ingredient(row: &Row) -> Result<Placed<Ingredient>, Failure> {
    let what = Ingredient {
        name: row.get(1)?,
        quantity: row.get(2)?,
        quantity_max: row.get(3)?,
        unit: row.get(4)?,
        notes: row.get(5)?,
        section: row.get(6)?,
        original_text: row.get(7)?,
        scales: row.get(8)?,
    };
    Ok(Placed { position: count(row, 0)?, what })
}

pub(super) const STEPS: &str =
    "SELECT position, instruction, duration_minutes, temperature_value, temperature_unit, section FROM steps
     WHERE family_id = $1 AND recipe_id = $2 ORDER BY position";

pub(super) fn step(row: &Row) -> Result<Placed<Step>, Failure> {
    let what = Step {
        instruction: row.get(1)?,
        duration_minutes: row.get(2)?,
        temperature_value: row.get(3)?,
        temperature_unit: row.get(4)?,
        section: row.get(5)?,
    };
    Ok(Placed { position: count(row, 0)?, what })
}

/// A small number, which both engines keep as a large one.
fn count(row: &Row, column: usize) -> Result<u32, Failure> {
    Ok(u32::try_from(row.get::<i64>(column)?).unwrap_or(u32::MAX))
}

pub(super) fn card(row: &Row) -> Result<Card, Failure> {
    Ok(Card {
        id: row.get(0)?,
        title: row.get(1)?,
        description: row.get(2)?,
        minutes: row.get(3)?,
        rating: row.get(4)?,
        photo_id: row.get(5)?,
        is_favourite: row.get(6)?,
    })
}

pub(super) fn trashed(row: &Row) -> Result<Trashed, Failure> {
    Ok(Trashed { id: row.get(0)?, title: row.get(1)?, deleted_at: row.get(2)? })
}

pub(super) const MEALS: &str =
    "SELECT m.id, m.day, m.slot, m.recipe_id, r.title, m.text, m.servings, m.shopped FROM meals m
     LEFT JOIN recipes r ON r.family_id = m.family_id AND r.id = m.recipe_id AND r.deleted_at IS NULL ";

pub(super) fn meal(row: &Row) -> Result<Meal, Failure> {
    Ok(Meal {
        id: row.get(0)?,
        day: row.get(1)?,
        slot: row.get(2)?,
        recipe_id: row.get(3)?,
        title: row.get(4)?,
        text: row.get(5)?,
        servings: row.get(6)?,
        shopped: row.get(7)?,
    })
}

pub(super) const ITEMS: &str = "SELECT list_name, id, name, quantity, unit, checked FROM shopping_items
     WHERE family_id = $1 AND list_key = $2 ORDER BY position";

/// The name of a list, and something on it.
pub(super) fn item(row: &Row) -> Result<(String, Item), Failure> {
    let item = Item {
        id: row.get(1)?,
        name: row.get(2)?,
        quantity: row.get(3)?,
        unit: row.get(4)?,
        checked: row.get(5)?,
    };
    Ok((row.get(0)?, item))
}

pub(super) const FAMILIES: &str = "SELECT id, name, created_at, time_zone FROM families ";

pub(super) fn family(row: &Row) -> Result<Family, Failure> {
    Ok(Family { id: row.get(0)?, name: row.get(1)?, created_at: row.get(2)?, time_zone: row.get(3)? })
}

pub(super) fn member(row: &Row) -> Result<Member, Failure> {
    Ok(Member { email: row.get(0)?, role: row.get(1)? })
}

pub(super) const KEYS: &str = "SELECT id, label, family_id, role, created_at, expires_at, revoked_at, last_used_at, hash FROM api_keys ";

pub(super) fn key(row: &Row) -> Result<ApiKey, Failure> {
    Ok(ApiKey {
        id: row.get(0)?,
        label: row.get(1)?,
        opens: Opens::stored(row.get(2)?, row.get(3)?),
        created_at: row.get(4)?,
        expires_at: row.get(5)?,
        revoked_at: row.get(6)?,
        last_used_at: row.get(7)?,
    })
}

pub(super) fn session(row: &Row) -> Result<Session, Failure> {
    Ok(Session { token: row.get(0)?, email: row.get(1)?, family: row.get(2)?, expires_at: row.get(3)? })
}

pub(super) fn share(row: &Row) -> Result<Share, Failure> {
    Ok(Share { id: row.get(0)?, recipe_id: row.get(1)?, created_at: row.get(2)?, expires_at: row.get(3)? })
}

pub(super) fn opened(row: &Row) -> Result<Opened, Failure> {
    Ok(Opened { family: row.get(0)?, recipe: row.get(1)?, expires_at: row.get(2)? })
}

/// A photo, if it is there in the form that was asked for and is one.
pub(super) fn photo(row: &Row) -> Result<Option<Photo>, Failure> {
    let (id, mime): (PhotoId, String) = (row.get(0)?, row.get(1)?);
    let Some(bytes) = row.get::<Option<Vec<u8>>>(2)? else { return Ok(None) };
    let format = Format::stored(&mime).or_else(|| Format::of(&bytes));
    Ok(format.map(|format| Photo { id, picture: Picture { format, bytes: bytes.into() } }))
}
