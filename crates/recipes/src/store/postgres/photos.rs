//! Photos.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::id::{FamilyId, PhotoId, RecipeId};
use crate::photo::{Format, Photo, Picture};
use crate::recipe::Recipe;
use crate::store::edit::Parts;
use crate::store::{Answer, Photos};
use crate::time::Time;

use super::transaction::{Failure, Transaction};
use super::{Postgres, recipes, sight};

impl Photos for Postgres {
    fn set_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, picture: Picture) -> Answer<'a, Recipe> {
        self.write(scope, move |tx| {
            let photo = Photo { id: PhotoId::new(), picture: picture.clone() };
            Box::pin(async move {
                let family = sight::to_change(tx, scope, id).await?;
                put(tx, family, id, &photo).await?;
                recipes::change_in(tx, (scope, family), id, |recipe| {
                    recipe.photo_id = Some(photo.id);
                    Ok(Parts::NONE)
                })
                .await
            })
        })
    }

    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Photo> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, id)?, id).await?;
                Ok(get(tx, family, id).await?.ok_or_else(|| Error::not_found(Thing::Photo, id))?)
            })
        })
    }

    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Option<Photo>> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, id)?, id).await?;
                let sql = "SELECT id, '', small FROM photos
                           WHERE family_id = $1 AND recipe_id = $2 AND small IS NOT NULL";
                read(tx, sql, family, id).await
            })
        })
    }

    fn keep_small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, small: Photo) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            let small = small.clone();
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, id)?, id).await?;
                let sql = "UPDATE photos SET small = $4 WHERE family_id = $1 AND recipe_id = $2 AND id = $3";
                let bytes: &[u8] = &small.picture.bytes;
                tx.execute(sql, &[&family, &id, &small.id, &bytes]).await?;
                Ok(())
            })
        })
    }

    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                let family = sight::to_change(tx, scope, id).await?;
                let sql = "DELETE FROM photos WHERE family_id = $1 AND recipe_id = $2";
                if tx.execute(sql, &[&family, &id]).await? == 0 {
                    return Err(Error::not_found(Thing::Photo, id).into());
                }
                recipes::change_in(tx, (scope, family), id, |recipe| {
                    recipe.photo_id = None;
                    Ok(Parts::NONE)
                })
                .await
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
               ON CONFLICT (family_id, recipe_id) DO UPDATE SET id = excluded.id, mime = excluded.mime,
                   bytes = excluded.bytes, created_at = excluded.created_at, small = NULL";
    let bytes: &[u8] = &picture.bytes;
    tx.execute(sql, &[&family, &recipe, id, &picture.format.mime(), &bytes, &Time::now()]).await?;
    Ok(())
}

pub(super) async fn get(
    tx: &Transaction<'_>,
    family: FamilyId,
    recipe: RecipeId,
) -> Result<Option<Photo>, Failure> {
    read(tx, "SELECT id, mime, bytes FROM photos WHERE family_id = $1 AND recipe_id = $2", family, recipe)
        .await
}

async fn read(
    tx: &Transaction<'_>,
    sql: &str,
    family: FamilyId,
    recipe: RecipeId,
) -> Result<Option<Photo>, Failure> {
    let Some(row) = tx.row(sql, &[&family, &recipe]).await? else { return Ok(None) };
    let (id, mime, bytes): (PhotoId, &str, Vec<u8>) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    Ok(Format::stored(mime)
        .or_else(|| Format::of(&bytes))
        .map(|format| Photo { id, picture: Picture { format, bytes: bytes.into() } }))
}
