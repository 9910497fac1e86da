//! What restoring an archive does, decided once for every engine.
//!
//! All of it happens or nothing. What is there stays, unless it is to be replaced; the trash is not "there", so what was
//! deleted comes back. A title that somebody else's recipe has by now is no reason to fail: the restored one gets a number.

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use sha2::{Digest, Sha256};

use crate::auth::Scope;
use crate::error::Error;
use crate::family::{Family, Member, Role};
use crate::id::{FamilyId, MealId, PhotoId, RecipeId};
use crate::photo::{Photo, Picture};
use crate::plan::Meal;
use crate::recipe::{Recipe, RecipePhoto};
use crate::record::{OnConflict, Record, Restored, Source};
use crate::shopping::ShoppingList;
use crate::store::{album, edit};
use crate::title::{self, Key, Title};

/// How often another title is tried.
const MOST_TITLES: u32 = 1_000;

/// The most pixels that one restore reads: some hundred photos of a phone.
const MOST_PIXELS: u64 = 2_000_000_000;

/// The highest version that is taken from an archive. Nobody changes a recipe so often, and a higher one could not grow.
const MOST_VERSION: i64 = 1 << 52;

/// A recipe that stands in the way of one that is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct There {
    pub(super) id: RecipeId,
    pub(super) in_trash: bool,
}

/// A recipe with the photos that came back so far.
#[derive(Debug, Clone)]
pub(super) struct Pictured {
    pub(super) recipe: RecipeId,
    pub(super) photos: Vec<RecipePhoto>,
    pub(super) cover: Option<PhotoId>,
}

/// What an engine does for a restore, inside one transaction.
#[allow(async_fn_in_trait, reason = "it is for the two engines of this crate, whose futures are known")]
pub(super) trait Target {
    /// What the engine fails with.
    type Failure: From<Error>;

    async fn has_family(&self, id: FamilyId) -> Result<bool, Self::Failure>;
    async fn put_family(&self, family: &Family) -> Result<(), Self::Failure>;
    /// Adds a member; one that is there gets the role only if that is to be replaced.
    async fn put_member(
        &self,
        family: FamilyId,
        member: &Member,
        on: OnConflict,
    ) -> Result<bool, Self::Failure>;
    /// The recipe of this id, in the trash or not.
    async fn by_id(&self, family: FamilyId, id: RecipeId) -> Result<Option<There>, Self::Failure>;
    /// The recipe of this title that is not in the trash.
    async fn by_title(&self, family: FamilyId, key: &Key) -> Result<Option<RecipeId>, Self::Failure>;
    /// Frees the title of a recipe that is written later in this restore.
    async fn free_title(&self, family: FamilyId, id: RecipeId) -> Result<(), Self::Failure>;
    async fn insert(&self, family: FamilyId, recipe: &Recipe) -> Result<(), Self::Failure>;
    /// Writes a recipe over the one of its id, which leaves the trash if it is there. Its version is one that the recipe never
    /// had: who knows an earlier one by it must not take this for that.
    async fn overwrite(&self, family: FamilyId, recipe: &Recipe) -> Result<(), Self::Failure>;
    /// Keeps a photo, and writes down which photos the recipe has now.
    async fn put_photo(
        &self,
        family: FamilyId,
        recipe: &Pictured,
        photo: &Photo,
    ) -> Result<(), Self::Failure>;
    /// False if the meal is there.
    async fn put_meal(&self, family: FamilyId, meal: &Meal) -> Result<bool, Self::Failure>;
    async fn has_list(&self, family: FamilyId, name: &str) -> Result<bool, Self::Failure>;
    async fn put_list(&self, family: FamilyId, list: &ShoppingList) -> Result<(), Self::Failure>;
    /// Notes that what a family reads has changed. Called before anything else is done to the family.
    async fn touch(&self, family: FamilyId) -> Result<(), Self::Failure>;
}

/// Restores everything that `records` has.
pub(super) async fn restore<T: Target>(
    target: T,
    scope: &Scope,
    records: &dyn Source,
    on_conflict: OnConflict,
) -> Result<Restored, T::Failure> {
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
    let mut work = Work { target, scope, on_conflict, coming, written, touched, pixels: MOST_PIXELS };
    let mut done = Restored::default();
    for record in records.records() {
        *(if work.one(record?).await? { &mut done.written } else { &mut done.skipped }) += 1;
    }
    Ok(done)
}

/// Runs a restore whose target never waits.
pub(super) fn at_once<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => Err(Error::unavailable("the restore stopped; try again")),
    }
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

struct Work<'a, T> {
    target: T,
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

impl<T: Target> Work<'_, T> {
    /// Writes one record; false if something is there already.
    async fn one(&mut self, record: Record) -> Result<bool, T::Failure> {
        match record {
            Record::Family(family) => self.family(&family).await,
            Record::Member { family_id, member } => {
                if !self.scope.is_god() {
                    return Ok(false);
                }
                self.target.put_member(family_id, &member, self.on_conflict).await
            }
            Record::Recipe { family_id, recipe } => self.recipe(family_id, *recipe).await,
            Record::Photo { family_id, recipe_id, photo_id, bytes } => {
                self.photo((family_id, recipe_id), photo_id, bytes).await
            }
            Record::Meal { family_id, meal } => self.meal(family_id, meal).await,
            Record::ShoppingList { family_id, list } => {
                let family = self.place(family_id).await?;
                if self.on_conflict == OnConflict::Skip && self.target.has_list(family, &list.name).await? {
                    return Ok(false);
                }
                self.target.put_list(family, &list).await.map(|()| true)
            }
        }
    }

    async fn family(&mut self, family: &Family) -> Result<bool, T::Failure> {
        if !self.scope.is_god() || self.target.has_family(family.id).await? {
            return Ok(false);
        }
        self.target.put_family(family).await.map(|()| true)
    }

    /// Where things of a family of the archive go; from now on that is a family that changed.
    async fn place(&mut self, archived: FamilyId) -> Result<FamilyId, T::Failure> {
        let family = match self.scope.family() {
            Some(own) => own,
            None => self.scope.may_in(archived, Role::Owner)?,
        };
        if self.touched.insert(family) {
            self.target.touch(family).await?;
        }
        Ok(family)
    }

    async fn recipe(&mut self, archived_in: FamilyId, mut recipe: Recipe) -> Result<bool, T::Failure> {
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
        let same = if family == archived_in { self.target.by_id(family, recipe.id).await? } else { None };
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
                self.target.overwrite(family, &recipe).await?;
            }
            (None, Some(holder)) => {
                recipe.id = holder;
                self.target.overwrite(family, &recipe).await?;
            }
            (None, None) => {
                if family != archived_in {
                    recipe.id = RecipeId::new();
                }
                self.target.insert(family, &recipe).await?;
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
    ) -> Result<Option<RecipeId>, T::Failure> {
        let Some(holder) = self.target.by_title(family, key).await? else { return Ok(None) };
        if holder != recipe.id && self.coming.contains(&holder) && !self.written.contains_key(&holder) {
            self.target.free_title(family, holder).await?;
            return Ok(None);
        }
        Ok(Some(holder))
    }

    /// The title with the first number that is free.
    async fn free_number(&self, family: FamilyId, title: &Title) -> Result<Title, T::Failure> {
        for number in 2..MOST_TITLES {
            let numbered =
                title::numbered(title, number).map_err(|misfit| Error::invalid("title", misfit))?;
            if self.target.by_title(family, &Key::of(numbered.as_str())).await?.is_none() {
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
    ) -> Result<bool, T::Failure> {
        let family = self.place(family_id).await?;
        let placed = self.written.get_mut(&recipe_id).filter(|placed| placed.is_written);
        let Some(Placed { id: recipe, photos, shown, .. }) = placed else { return Ok(false) };
        if shown.len() >= album::MOST || shown.iter().any(|photo| photo.id == id) {
            return Ok(false);
        }
        // A cookbook comes back without a photo that nobody can look at.
        let Ok(picture) = Picture::within(bytes, &mut self.pixels) else { return Ok(false) };
        // Archives of earlier versions have one photo each, and do not list it.
        let listed = photos.iter().find(|photo| photo.id == id).copied();
        shown.push(listed.unwrap_or(RecipePhoto { id, step: None }));
        let cover = album::cover(shown);
        let pictured = Pictured { recipe: *recipe, photos: shown.clone(), cover };
        self.target.put_photo(family, &pictured, &Photo { id, picture }).await.map(|()| true)
    }

    async fn meal(&mut self, family_id: FamilyId, mut meal: Meal) -> Result<bool, T::Failure> {
        let family = self.place(family_id).await?;
        if let Some(archived) = meal.recipe_id {
            let Some(placed) = self.written.get(&archived) else { return Ok(false) };
            meal.recipe_id = Some(placed.id);
        }
        if family != family_id {
            meal.id = elsewhere(family, meal.id);
        }
        self.target.put_meal(family, &meal).await
    }
}

/// The id of a meal in another family: always the same one, so that a second restore finds it.
fn elsewhere(family: FamilyId, meal: MealId) -> MealId {
    let digest = Sha256::new().chain_update(family.as_bytes()).chain_update(meal.as_bytes()).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    MealId::from_bytes(bytes)
}
