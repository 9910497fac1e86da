//! Photos.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::id::{FamilyId, PhotoId, RecipeId};
use crate::photo::{Form, Photo, Picture, Place, Which};
use crate::recipe::Recipe;
use crate::store::edit::Parts;
use crate::store::{Answer, Photos, album, row};
use crate::time::Time;

use super::transaction::{Failure, Transaction};
use super::{Postgres, recipes, sight};

impl Photos for Postgres {
    fn add_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        picture: Picture,
        place: Place,
    ) -> Answer<'a, Recipe> {
        self.write(scope, move |tx| {
            let photo = Photo { id: PhotoId::new(), picture: picture.clone() };
            Box::pin(async move {
                let family = sight::to_change(tx, scope, id).await?;
                let mut replaced = None;
                let recipe = recipes::change_in(tx, (scope, family), id, |recipe| {
                    replaced = album::add(recipe, photo.id, place)?;
                    Ok(Parts::NONE)
                })
                .await?;
                put(tx, family, id, &photo).await?;
                if let Some(replaced) = replaced {
                    delete(tx, family, id, replaced).await?;
                }
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
        self.write(scope, move |tx| {
            Box::pin(recipes::change(tx, scope, id, move |recipe| {
                album::shift(recipe, photo, place).map(|()| Parts::NONE)
            }))
        })
    }

    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Photo> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, id)?, id).await?;
                Ok(get(tx, family, id, which).await?.ok_or_else(|| Error::not_found(Thing::Photo, id))?)
            })
        })
    }

    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Option<Photo>> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, id)?, id).await?;
                read(tx, "id, '', small", family, id, which).await
            })
        })
    }

    fn keep_form<'a>(&'a self, scope: &'a Scope, id: RecipeId, photo: Photo, form: Form) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            let Photo { id: photo, picture } = photo.clone();
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, id)?, id).await?;
                let mime = picture.format.mime();
                let bytes: &[u8] = &picture.bytes;
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
        self.write(scope, move |tx| {
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
                if let Some(removed) = removed {
                    delete(tx, family, id, removed).await?;
                }
                Ok(recipe)
            })
        })
    }
}

pub(super) async fn put(
    tx: &Transaction<'_>,
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
    tx: &Transaction<'_>,
    family: FamilyId,
    recipe: RecipeId,
    photo: PhotoId,
) -> Result<(), Failure> {
    let sql = "DELETE FROM photos WHERE family_id = $1 AND recipe_id = $2 AND id = $3";
    tx.execute(sql, &[&family, &recipe, &photo]).await?;
    Ok(())
}

/// Takes every photo of a recipe away, for one that is written over.
pub(super) async fn clear(tx: &Transaction<'_>, family: FamilyId, recipe: RecipeId) -> Result<(), Failure> {
    tx.execute("DELETE FROM photos WHERE family_id = $1 AND recipe_id = $2", &[&family, &recipe]).await?;
    Ok(())
}

pub(super) async fn get(
    tx: &Transaction<'_>,
    family: FamilyId,
    recipe: RecipeId,
    which: Which,
) -> Result<Option<Photo>, Failure> {
    read(tx, "id, mime, bytes", family, recipe, which).await
}

async fn read(
    tx: &Transaction<'_>,
    columns: &str,
    family: FamilyId,
    recipe: RecipeId,
    which: Which,
) -> Result<Option<Photo>, Failure> {
    let sql = format!(
        "SELECT {columns} FROM photos WHERE family_id = $1 AND recipe_id = $2
         AND id = coalesce($3, (SELECT photo_id FROM recipes WHERE family_id = $1 AND id = $2))"
    );
    let Some(row) = tx.row(&sql, &[&family, &recipe, &which.id()]).await? else { return Ok(None) };
    Ok(row::photo(&row)?)
}
