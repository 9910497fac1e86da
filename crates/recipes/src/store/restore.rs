//! What restoring an archive does.
//!
//! All of it happens or nothing. What is there stays, unless it is to be replaced; the trash is not "there", so what was
//! deleted comes back. A title that somebody else's recipe has by now is no reason to fail: the restored one gets a number.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::auth::Scope;
use crate::error::Error;
use crate::family::{Family, Member, Role};
use crate::id::{FamilyId, MealId, PhotoId, RecipeId};
use crate::photo::{Photo, Picture};
use crate::plan::Meal;
use crate::recipe::{Recipe, RecipePhoto, Version};
use crate::record::{OnConflict, Record, Restored, Source};
use crate::title::{self, Key, Title};

use super::edit::Parts;
use super::row::Found;
use super::sql::{Failure, Sql};
use super::{album, edit, families, photos, plans, shopping, sight, write};

/// How often another title is tried.
const MOST_TITLES: u32 = 1_000;

/// The most pixels that one restore reads: some hundred photos of a phone.
const MOST_PIXELS: u64 = 2_000_000_000;

/// The highest version that is taken from an archive. Nobody changes a recipe so often, and a higher one could not grow.
const MOST_VERSION: i64 = 1 << 52;

/// A recipe that stands in the way of one that is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct There {
    id: RecipeId,
    in_trash: bool,
}

/// Restores everything that `records` has.
pub(super) async fn restore(
    tx: &Sql<'_>,
    scope: &Scope,
    (records, on_conflict): (Arc<dyn Source>, OnConflict),
) -> Result<Restored, Failure> {
    scope.may(Role::Owner)?;
    let mut coming = HashSet::new();
    if on_conflict == OnConflict::Replace {
        for record in records.records() {
            if let Record::Recipe { recipe, .. } = record? {
                coming.insert(recipe.id);
            }
        }
    }
    let (written, touched) = (HashMap::new(), HashSet::new());
    let mut work = Work { tx, scope, on_conflict, coming, written, touched, pixels: MOST_PIXELS };
    let mut done = Restored::default();
    for record in records.records() {
        *(if work.one(record?).await? { &mut done.written } else { &mut done.skipped }) += 1;
    }
    Ok(done)
}

/// What became of a recipe of the archive.
struct Placed {
    id: RecipeId,
    is_written: bool,
    /// Its photos and what they show, as the archive says.
    photos: Vec<RecipePhoto>,
    /// Those that came back.
    shown: Vec<RecipePhoto>,
}

struct Work<'a> {
    tx: &'a Sql<'a>,
    scope: &'a Scope,
    on_conflict: OnConflict,
    /// Recipes of the archive, if they replace what is there.
    coming: HashSet<RecipeId>,
    /// Recipes of the archive that were looked at, by their id there.
    written: HashMap<RecipeId, Placed>,
    touched: HashSet<FamilyId>,
    /// How many pixels may still be read: what we exported is as we keep it, and others wait for this restore to end.
    pixels: u64,
}

impl Work<'_> {
    /// Writes one record; false if something is there already.
    async fn one(&mut self, record: Record) -> Result<bool, Failure> {
        match record {
            Record::Family(family) => self.family(&family).await,
            Record::Member { family_id, member } => {
                if !self.scope.is_god() {
                    return Ok(false);
                }
                self.member(family_id, &member).await
            }
            Record::Recipe { family_id, recipe } => self.recipe(family_id, *recipe).await,
            Record::Photo { family_id, recipe_id, photo_id, bytes } => {
                self.photo((family_id, recipe_id), photo_id, bytes).await
            }
            Record::Meal { family_id, meal } => self.meal(family_id, meal).await,
            Record::ShoppingList { family_id, list } => {
                let family = self.place(family_id).await?;
                if self.on_conflict == OnConflict::Skip && has_list(self.tx, family, &list.name).await? {
                    return Ok(false);
                }
                shopping::put(self.tx, family, &list).await.map(|()| true)
            }
        }
    }

    /// Adds a member; one that is there gets the role only if that is to be replaced.
    async fn member(&self, family: FamilyId, member: &Member) -> Result<bool, Failure> {
        let sql = "SELECT 1 FROM members WHERE family_id = $1 AND email = $2";
        if self.on_conflict == OnConflict::Skip
            && self.tx.row(sql, &[&family, &member.email]).await?.is_some()
        {
            return Ok(false);
        }
        families::put_member(self.tx, family, member).await.map(|()| true)
    }

    async fn family(&mut self, family: &Family) -> Result<bool, Failure> {
        if !self.scope.is_god() || families::get(self.tx, family.id).await?.is_some() {
            return Ok(false);
        }
        families::put(self.tx, family).await.map(|()| true)
    }

    /// Where things of a family of the archive go; from now on that is a family that changed.
    async fn place(&mut self, archived: FamilyId) -> Result<FamilyId, Failure> {
        let family = match self.scope.family() {
            Some(own) => own,
            None => self.scope.may_in(archived, Role::Owner)?,
        };
        if self.touched.insert(family) {
            sight::touch(self.tx, family).await?;
        }
        Ok(family)
    }

    async fn recipe(&mut self, archived_in: FamilyId, mut recipe: Recipe) -> Result<bool, Failure> {
        let (family, archived) = (self.place(archived_in).await?, recipe.id);
        recipe.version.0 = recipe.version.0.clamp(1, MOST_VERSION);
        recipe.tags = edit::unique(std::mem::take(&mut recipe.tags).into_iter());
        // They are listed again as they come.
        recipe.photo_id = None;
        let mut photos = std::mem::take(&mut recipe.photos);
        for photo in &mut photos {
            photo.step = photo.step.filter(|step| recipe.steps.iter().any(|placed| placed.position == *step));
        }
        let key = Key::of(recipe.title.as_str());
        let holder = self.title_holder(family, &recipe, &key).await?;
        // In another family it is another recipe: the old id may still be in use where it came from.
        let same = if family == archived_in { by_id(self.tx, family, recipe.id).await? } else { None };
        let skipped = match (same, holder) {
            (Some(There { id, in_trash: false }), _) => Some(id),
            (Some(There { in_trash: true, .. }) | None, holder) => holder,
        };
        if let (Some(id), OnConflict::Skip) = (skipped, self.on_conflict) {
            self.written.insert(archived, Placed { id, is_written: false, shown: Vec::new(), photos });
            return Ok(false);
        }
        match (same, holder) {
            (Some(There { id, .. }), holder) => {
                if holder.is_some_and(|holder| holder != id) {
                    recipe.title = self.free_number(family, &recipe.title).await?;
                }
                overwrite(self.tx, family, &recipe).await?;
            }
            (None, Some(holder)) => {
                recipe.id = holder;
                overwrite(self.tx, family, &recipe).await?;
            }
            (None, None) => {
                if family != archived_in {
                    recipe.id = RecipeId::new();
                }
                write::insert(self.tx, family, &recipe).await?;
            }
        }
        let placed = Placed { id: recipe.id, is_written: true, shown: Vec::new(), photos };
        self.written.insert(archived, placed);
        Ok(true)
    }

    /// The recipe that has a title now. One that comes later in the archive gets the title it had then, so it gives this one
    /// up before.
    async fn title_holder(
        &self,
        family: FamilyId,
        recipe: &Recipe,
        key: &Key,
    ) -> Result<Option<RecipeId>, Failure> {
        let Some(holder) = by_title(self.tx, family, key).await? else { return Ok(None) };
        if holder != recipe.id && self.coming.contains(&holder) && !self.written.contains_key(&holder) {
            // No title has this key: a key has no control characters at its ends.
            let sql = "UPDATE recipes SET title_key = $3 WHERE family_id = $1 AND id = $2";
            self.tx.execute(sql, &[&family, &holder, &format!("\u{1}{holder}")]).await?;
            return Ok(None);
        }
        Ok(Some(holder))
    }

    /// The title with the first number that is free.
    async fn free_number(&self, family: FamilyId, title: &Title) -> Result<Title, Failure> {
        for number in 2..MOST_TITLES {
            let numbered =
                title::numbered(title, number).map_err(|misfit| Error::invalid("title", misfit))?;
            if by_title(self.tx, family, &Key::of(numbered.as_str())).await?.is_none() {
                return Ok(numbered);
            }
        }
        Err(Error::TitleTaken { title: title.to_string(), existing: None }.into())
    }

    async fn photo(
        &mut self,
        (family_id, recipe_id): (FamilyId, RecipeId),
        id: PhotoId,
        bytes: bytes::Bytes,
    ) -> Result<bool, Failure> {
        let family = self.place(family_id).await?;
        let placed = self.written.get_mut(&recipe_id).filter(|placed| placed.is_written);
        let Some(Placed { id: recipe, photos: listed, shown, .. }) = placed else { return Ok(false) };
        if shown.len() >= album::MOST || shown.iter().any(|photo| photo.id == id) {
            return Ok(false);
        }
        // A cookbook comes back without a photo that nobody can look at.
        let Ok(picture) = Picture::within(bytes, &mut self.pixels) else { return Ok(false) };
        // Archives of earlier versions have one photo each, and do not list it.
        let known = listed.iter().find(|photo| photo.id == id).copied();
        shown.push(known.unwrap_or(RecipePhoto { id, step: None }));
        let cover = album::cover(shown);
        photos::put(self.tx, family, *recipe, &Photo { id, picture }).await?;
        let sql = "UPDATE recipes SET photo_id = $3, photos = $4 WHERE family_id = $1 AND id = $2";
        self.tx.execute(sql, &[&family, recipe, &cover, &edit::json(shown)]).await?;
        Ok(true)
    }

    async fn meal(&mut self, family_id: FamilyId, mut meal: Meal) -> Result<bool, Failure> {
        let family = self.place(family_id).await?;
        if let Some(archived) = meal.recipe_id {
            let Some(placed) = self.written.get(&archived) else { return Ok(false) };
            meal.recipe_id = Some(placed.id);
        }
        if family != family_id {
            meal.id = elsewhere(family, meal.id);
        }
        plans::put(self.tx, family, &meal).await
    }
}

/// The id of a meal in another family: always the same one, so that a second restore finds it.
fn elsewhere(family: FamilyId, meal: MealId) -> MealId {
    let digest = Sha256::new().chain_update(family.as_bytes()).chain_update(meal.as_bytes()).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    MealId::from_bytes(bytes)
}

async fn has_list(tx: &Sql<'_>, family: FamilyId, name: &str) -> Result<bool, Failure> {
    Ok(!shopping::get(tx, family, name).await?.items.is_empty())
}

/// The recipe of this id, in the trash or not.
async fn by_id(tx: &Sql<'_>, family: FamilyId, id: RecipeId) -> Result<Option<There>, Failure> {
    let sql = "SELECT id, deleted_at IS NOT NULL FROM recipes WHERE family_id = $1 AND id = $2";
    tx.one(sql, &[&family, &id], |row| Ok(There { id: row.get(0)?, in_trash: row.get(1)? })).await
}

/// The recipe of this title that is not in the trash.
async fn by_title(tx: &Sql<'_>, family: FamilyId, key: &Key) -> Result<Option<RecipeId>, Failure> {
    let sql = "SELECT id FROM recipes WHERE family_id = $1 AND title_key = $2 AND deleted_at IS NULL";
    tx.one(sql, &[&family, &key.as_str()], |row| row.get(0)).await
}

/// Writes a recipe over the one of its id, which leaves the trash if it is there. Its version is one that the recipe never
/// had: who knows an earlier one by it must not take this for that.
async fn overwrite(tx: &Sql<'_>, family: FamilyId, recipe: &Recipe) -> Result<(), Failure> {
    // The key first: what leaves the trash must not meet the title it had there.
    let sql = "UPDATE recipes SET title_key = $3, deleted_at = NULL,
                   version = CASE WHEN version >= $4 THEN version + 1 ELSE $4 END
               WHERE family_id = $1 AND id = $2 RETURNING seq, version";
    let key = Key::of(recipe.title.as_str());
    let Some(row) = tx.row(sql, &[&family, &recipe.id, &key.as_str(), &recipe.version.0]).await? else {
        return Ok(());
    };
    tx.execute("DELETE FROM photos WHERE family_id = $1 AND recipe_id = $2", &[&family, &recipe.id]).await?;
    let recipe = Recipe { version: Version(row.get(1)?), ..recipe.clone() };
    write::replace(tx, &Found { seq: row.get(0)?, family, recipe }, Parts::ALL).await
}
