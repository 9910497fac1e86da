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

/// What both engines read from a column.
pub(super) trait Value: rusqlite::types::FromSql + for<'r> tokio_postgres::types::FromSql<'r> {}

impl<T: rusqlite::types::FromSql + for<'r> tokio_postgres::types::FromSql<'r>> Value for T {}

/// A row of an engine.
pub(super) trait Row {
    /// What the engine says where a column is not what it should be.
    type Error;

    /// The value of a column, by its place.
    fn value<T: Value>(&self, column: usize) -> Result<T, Self::Error>;
}

impl Row for rusqlite::Row<'_> {
    type Error = rusqlite::Error;

    fn value<T: Value>(&self, column: usize) -> rusqlite::Result<T> {
        self.get(column)
    }
}

impl Row for tokio_postgres::Row {
    type Error = tokio_postgres::Error;

    fn value<T: Value>(&self, column: usize) -> Result<T, tokio_postgres::Error> {
        self.try_get(column)
    }
}

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
pub(super) fn recipe<R: Row>(row: &R) -> Result<Found, R::Error> {
    let recipe = Recipe {
        id: row.value(2)?,
        title: row.value(3)?,
        description: row.value(4)?,
        prep_time_minutes: row.value(5)?,
        cook_time_minutes: row.value(6)?,
        servings: row.value(7)?,
        difficulty: row.value(8)?,
        rating: row.value(9)?,
        yield_text: row.value(10)?,
        source_url: row.value(11)?,
        notes: row.value(12)?,
        nutrition: row.value(13)?,
        tags: listed(&row.value::<String>(14)?),
        photo_id: row.value(15)?,
        photos: listed(&row.value::<String>(23)?),
        times_cooked: count(row, 16)?,
        last_cooked_at: row.value(17)?,
        version: Version(row.value(18)?),
        created_at: row.value(19)?,
        created_by: row.value(20)?,
        updated_at: row.value(21)?,
        updated_by: row.value(22)?,
        ingredients: Vec::new(),
        steps: Vec::new(),
    };
    Ok(Found { seq: row.value(0)?, family: row.value(1)?, recipe })
}

pub(super) const INGREDIENTS: &str =
    "SELECT position, name, quantity, quantity_max, unit, notes, section, original_text, scales FROM ingredients
     WHERE family_id = $1 AND recipe_id = $2 ORDER BY position";

pub(super) fn ingredient<R: Row>(row: &R) -> Result<Placed<Ingredient>, R::Error> {
    let what = Ingredient {
        name: row.value(1)?,
        quantity: row.value(2)?,
        quantity_max: row.value(3)?,
        unit: row.value(4)?,
        notes: row.value(5)?,
        section: row.value(6)?,
        original_text: row.value(7)?,
        scales: row.value(8)?,
    };
    Ok(Placed { position: count(row, 0)?, what })
}

pub(super) const STEPS: &str =
    "SELECT position, instruction, duration_minutes, temperature_value, temperature_unit, section FROM steps
     WHERE family_id = $1 AND recipe_id = $2 ORDER BY position";

pub(super) fn step<R: Row>(row: &R) -> Result<Placed<Step>, R::Error> {
    let what = Step {
        instruction: row.value(1)?,
        duration_minutes: row.value(2)?,
        temperature_value: row.value(3)?,
        temperature_unit: row.value(4)?,
        section: row.value(5)?,
    };
    Ok(Placed { position: count(row, 0)?, what })
}

/// A small number, which both engines keep as a large one.
fn count<R: Row>(row: &R, column: usize) -> Result<u32, R::Error> {
    Ok(u32::try_from(row.value::<i64>(column)?).unwrap_or(u32::MAX))
}

pub(super) fn card<R: Row>(row: &R) -> Result<Card, R::Error> {
    Ok(Card {
        id: row.value(0)?,
        title: row.value(1)?,
        description: row.value(2)?,
        minutes: row.value(3)?,
        rating: row.value(4)?,
        photo_id: row.value(5)?,
        is_favourite: row.value(6)?,
    })
}

pub(super) fn trashed<R: Row>(row: &R) -> Result<Trashed, R::Error> {
    Ok(Trashed { id: row.value(0)?, title: row.value(1)?, deleted_at: row.value(2)? })
}

pub(super) const MEALS: &str =
    "SELECT m.id, m.day, m.slot, m.recipe_id, r.title, m.text, m.servings, m.shopped FROM meals m
     LEFT JOIN recipes r ON r.family_id = m.family_id AND r.id = m.recipe_id AND r.deleted_at IS NULL ";

pub(super) fn meal<R: Row>(row: &R) -> Result<Meal, R::Error> {
    Ok(Meal {
        id: row.value(0)?,
        day: row.value(1)?,
        slot: row.value(2)?,
        recipe_id: row.value(3)?,
        title: row.value(4)?,
        text: row.value(5)?,
        servings: row.value(6)?,
        shopped: row.value(7)?,
    })
}

pub(super) const ITEMS: &str = "SELECT list_name, id, name, quantity, unit, checked FROM shopping_items
     WHERE family_id = $1 AND list_key = $2 ORDER BY position";

/// The name of a list, and something on it.
pub(super) fn item<R: Row>(row: &R) -> Result<(String, Item), R::Error> {
    let item = Item {
        id: row.value(1)?,
        name: row.value(2)?,
        quantity: row.value(3)?,
        unit: row.value(4)?,
        checked: row.value(5)?,
    };
    Ok((row.value(0)?, item))
}

pub(super) const FAMILIES: &str = "SELECT id, name, created_at, time_zone FROM families ";

pub(super) fn family<R: Row>(row: &R) -> Result<Family, R::Error> {
    Ok(Family { id: row.value(0)?, name: row.value(1)?, created_at: row.value(2)?, time_zone: row.value(3)? })
}

pub(super) fn member<R: Row>(row: &R) -> Result<Member, R::Error> {
    Ok(Member { email: row.value(0)?, role: row.value(1)? })
}

pub(super) const KEYS: &str = "SELECT id, label, family_id, role, created_at, expires_at, revoked_at, last_used_at, hash FROM api_keys ";

pub(super) fn key<R: Row>(row: &R) -> Result<ApiKey, R::Error> {
    Ok(ApiKey {
        id: row.value(0)?,
        label: row.value(1)?,
        opens: Opens::stored(row.value(2)?, row.value(3)?),
        created_at: row.value(4)?,
        expires_at: row.value(5)?,
        revoked_at: row.value(6)?,
        last_used_at: row.value(7)?,
    })
}

pub(super) fn session<R: Row>(row: &R) -> Result<Session, R::Error> {
    Ok(Session {
        token: row.value(0)?,
        email: row.value(1)?,
        family: row.value(2)?,
        expires_at: row.value(3)?,
    })
}

pub(super) fn share<R: Row>(row: &R) -> Result<Share, R::Error> {
    Ok(Share {
        id: row.value(0)?,
        recipe_id: row.value(1)?,
        created_at: row.value(2)?,
        expires_at: row.value(3)?,
    })
}

pub(super) fn opened<R: Row>(row: &R) -> Result<Opened, R::Error> {
    Ok(Opened { family: row.value(0)?, recipe: row.value(1)?, expires_at: row.value(2)? })
}

/// A photo, if it is there in the form that was asked for and is one.
pub(super) fn photo<R: Row>(row: &R) -> Result<Option<Photo>, R::Error> {
    let (id, mime): (PhotoId, String) = (row.value(0)?, row.value(1)?);
    let Some(bytes) = row.value::<Option<Vec<u8>>>(2)? else { return Ok(None) };
    let format = Format::stored(&mime).or_else(|| Format::of(&bytes));
    Ok(format.map(|format| Photo { id, picture: Picture { format, bytes: bytes.into() } }))
}
