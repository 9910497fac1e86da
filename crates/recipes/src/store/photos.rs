//! Photos.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::id::{FamilyId, PhotoId, RecipeId};
use crate::photo::{Form, Photo, Picture, Place, Which};
use crate::recipe::Recipe;
use crate::time::Time;

use super::edit::Parts;
use super::sql::{Engine, Failure, How, Sql};
use super::{Answer, album, recipes, row, sight};

/// Keeps photos of recipes.
pub trait Photos {
    /// Gives a recipe a photo. The cover and each step have one, whose place the new one takes; the dish has several.
    fn add_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        picture: Picture,
        place: Place,
    ) -> Answer<'a, Recipe>;

    /// Moves a photo. The one that was there is not lost: it shows the dish.
    fn move_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        photo: PhotoId,
        place: Place,
    ) -> Answer<'a, Recipe>;

    /// A photo of a recipe.
    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Photo>;

    /// The small form of a photo, if it was made.
    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Option<Photo>>;

    /// Keeps another form of a photo, unless that is gone by now. For whoever made it from the photo; the recipe stays as it
    /// is. A small form is of the whole one before, and goes with it.
    fn keep_form<'a>(&'a self, scope: &'a Scope, id: RecipeId, photo: Photo, form: Form) -> Answer<'a, ()>;

    /// Takes a photo of a recipe away.
    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Recipe>;
}

impl<E: Engine> Photos for E {
    fn add_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        picture: Picture,
        place: Place,
    ) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, (id, picture, place), |tx, scope, (id, picture, place)| {
            Box::pin(async move {
                let family = sight::to_change(tx, scope, id).await?;
                let photo = Photo { id: PhotoId::new(), picture };
                let mut replaced = None;
                let recipe = recipes::change_in(tx, (scope, family), id, |recipe| {
                    replaced = album::add(recipe, photo.id, place)?;
                    Ok(Parts::NONE)
                })
                .await?;
                put(tx, family, id, &photo).await?;
                delete(tx, family, id, replaced).await?;
                Ok(recipe)
            })
        })
    }

    fn move_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        photo: PhotoId,
        place: Place,
    ) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, (id, photo, place), |tx, scope, (id, photo, place)| {
            Box::pin(recipes::change(tx, scope, id, move |recipe| {
                album::shift(recipe, photo, place).map(|()| Parts::NONE)
            }))
        })
    }

    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Photo> {
        self.run(How::ReadLong, scope, (id, which), |tx, scope, (id, which)| {
            Box::pin(async move {
                let family = sight::seen(tx, scope, id).await?;
                Ok(get(tx, family, id, which).await?.ok_or_else(|| Error::not_found(Thing::Photo, id))?)
            })
        })
    }

    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Option<Photo>> {
        self.run(How::ReadLong, scope, (id, which), |tx, scope, (id, which)| {
            Box::pin(async move {
                let family = sight::seen(tx, scope, id).await?;
                read(tx, "id, '', small", family, id, which).await
            })
        })
    }

    fn keep_form<'a>(&'a self, scope: &'a Scope, id: RecipeId, photo: Photo, form: Form) -> Answer<'a, ()> {
        self.run(How::Write, scope, (id, photo, form), |tx, scope, (id, photo, form)| {
            Box::pin(async move {
                let family = sight::seen(tx, scope, id).await?;
                let Photo { id: photo, picture } = photo;
                let (mime, bytes): (_, &[u8]) = (picture.format.mime(), &picture.bytes);
                let which = "WHERE family_id = $1 AND recipe_id = $2 AND id = $3";
                match form {
                    Form::Small => {
                        let sql = format!("UPDATE photos SET small = $4 {which}");
                        tx.execute(&sql, &[&family, &id, &photo, &bytes]).await?
                    }
                    Form::Whole => {
                        let sql = format!("UPDATE photos SET bytes = $4, mime = $5, small = NULL {which}");
                        tx.execute(&sql, &[&family, &id, &photo, &bytes, &mime]).await?
                    }
                };
                Ok(())
            })
        })
    }

    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, (id, which), |tx, scope, (id, which)| {
            Box::pin(async move {
                let family = sight::to_change(tx, scope, id).await?;
                let mut removed = None;
                let recipe = recipes::change_in(tx, (scope, family), id, |recipe| {
                    let photo = which.id().or(recipe.photo_id);
                    let photo = photo.ok_or_else(|| Error::not_found(Thing::Photo, id))?;
                    removed = Some(photo);
                    album::take(recipe, photo).map(|()| Parts::NONE)
                })
                .await?;
                delete(tx, family, id, removed).await?;
                Ok(recipe)
            })
        })
    }
}

pub(super) async fn put(
    tx: &Sql<'_>,
    family: FamilyId,
    recipe: RecipeId,
    photo: &Photo,
) -> Result<(), Failure> {
    let Photo { id, picture } = photo;
    let sql = "INSERT INTO photos (family_id, recipe_id, id, mime, bytes, created_at) VALUES ($1, $2, $3, $4, $5, $6)
               ON CONFLICT (family_id, recipe_id, id) DO UPDATE SET mime = excluded.mime, bytes = excluded.bytes,
                   created_at = excluded.created_at, small = NULL";
    let bytes: &[u8] = &picture.bytes;
    tx.execute(sql, &[&family, &recipe, id, &picture.format.mime(), &bytes, &Time::now()]).await?;
    Ok(())
}

async fn delete(
    tx: &Sql<'_>,
    family: FamilyId,
    recipe: RecipeId,
    photo: Option<PhotoId>,
) -> Result<(), Failure> {
    let Some(photo) = photo else { return Ok(()) };
    let sql = "DELETE FROM photos WHERE family_id = $1 AND recipe_id = $2 AND id = $3";
    tx.execute(sql, &[&family, &recipe, &photo]).await?;
    Ok(())
}

pub(super) async fn get(
    tx: &Sql<'_>,
    family: FamilyId,
    recipe: RecipeId,
    which: Which,
) -> Result<Option<Photo>, Failure> {
    read(tx, "id, mime, bytes", family, recipe, which).await
}

async fn read(
    tx: &Sql<'_>,
    columns: &str,
    family: FamilyId,
    recipe: RecipeId,
    which: Which,
) -> Result<Option<Photo>, Failure> {
    let sql = format!(
        "SELECT {columns} FROM photos WHERE family_id = $1 AND recipe_id = $2
         AND id = coalesce($3, (SELECT photo_id FROM recipes WHERE family_id = $1 AND id = $2))"
    );
    Ok(tx.one(&sql, &[&family, &recipe, &which.id()], row::photo).await?.flatten())
}
