//! Photos.

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::id::{FamilyId, PhotoId, RecipeId};
use crate::photo::{Format, Photo, Picture};
use crate::recipe::Recipe;
use crate::store::edit::Parts;
use crate::store::{Answer, Photos};
use crate::time::Time;

use super::{Sqlite, recipes, sight};

impl Photos for Sqlite {
    fn set_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, picture: Picture) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::to_change(connection, &scope, id)?;
            let photo = Photo { id: PhotoId::new(), picture };
            put(connection, family, id, &photo)?;
            recipes::change(connection, &scope, id, |recipe| {
                recipe.photo_id = Some(photo.id);
                Ok(Parts::NONE)
            })
        })
    }

    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Photo> {
        let scope = scope.clone();
        self.read_long(move |connection| {
            let family = sight::family_of(connection, sight::of_recipe(&scope, id)?, id)?;
            get(connection, family, id)?.ok_or_else(|| Error::not_found(Thing::Photo, id))
        })
    }

    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Option<Photo>> {
        let scope = scope.clone();
        self.read_long(move |connection| {
            let family = sight::family_of(connection, sight::of_recipe(&scope, id)?, id)?;
            let sql = "SELECT id, '', small FROM photos WHERE family_id = ?1 AND recipe_id = ?2 AND small IS NOT NULL";
            read(connection, sql, family, id)
        })
    }

    fn keep_small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, small: Photo) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::family_of(connection, sight::of_recipe(&scope, id)?, id)?;
            let sql = "UPDATE photos SET small = ?4 WHERE family_id = ?1 AND recipe_id = ?2 AND id = ?3";
            connection.execute(sql, params![family, id, small.id, small.picture.bytes.as_ref()])?;
            Ok(())
        })
    }

    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::to_change(connection, &scope, id)?;
            let sql = "DELETE FROM photos WHERE family_id = ?1 AND recipe_id = ?2";
            if connection.execute(sql, params![family, id])? == 0 {
                return Err(Error::not_found(Thing::Photo, id));
            }
            recipes::change(connection, &scope, id, |recipe| {
                recipe.photo_id = None;
                Ok(Parts::NONE)
            })
        })
    }
}

pub(super) fn put(
    connection: &Connection,
    family: FamilyId,
    recipe: RecipeId,
    photo: &Photo,
) -> Result<(), Error> {
    let Photo { id, picture } = photo;
    connection.execute(
        "INSERT OR REPLACE INTO photos (family_id, recipe_id, id, mime, bytes, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![family, recipe, id, picture.format.mime(), picture.bytes.as_ref(), Time::now()],
    )?;
    Ok(())
}

pub(super) fn get(
    connection: &Connection,
    family: FamilyId,
    recipe: RecipeId,
) -> Result<Option<Photo>, Error> {
    read(
        connection,
        "SELECT id, mime, bytes FROM photos WHERE family_id = ?1 AND recipe_id = ?2",
        family,
        recipe,
    )
}

fn read(
    connection: &Connection,
    sql: &str,
    family: FamilyId,
    recipe: RecipeId,
) -> Result<Option<Photo>, Error> {
    let photo = connection.prepare_cached(sql)?.query_row(params![family, recipe], |row| {
        let bytes: Vec<u8> = row.get(2)?;
        let format = Format::stored(row.get_ref(1)?.as_str()?).or_else(|| Format::of(&bytes));
        Ok(format.map(|format| Photo {
            id: row.get(0).unwrap_or_default(),
            picture: Picture { format, bytes: bytes.into() },
        }))
    });
    Ok(photo.optional()?.flatten())
}
