//! Photos.

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::id::{FamilyId, PhotoId, RecipeId};
use crate::photo::{Form, Photo, Picture, Place, Which};
use crate::recipe::Recipe;
use crate::store::edit::Parts;
use crate::store::{Answer, Photos, album, row};
use crate::time::Time;

use super::{Sqlite, recipes, sight};

impl Photos for Sqlite {
    fn add_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        picture: Picture,
        place: Place,
    ) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::to_change(connection, &scope, id)?;
            let photo = Photo { id: PhotoId::new(), picture };
            let mut replaced = None;
            let recipe = recipes::change(connection, &scope, id, |recipe| {
                replaced = album::add(recipe, photo.id, place)?;
                Ok(Parts::NONE)
            })?;
            put(connection, family, id, &photo)?;
            replaced.map_or(Ok(()), |replaced| delete(connection, family, id, replaced))?;
            Ok(recipe)
        })
    }

    fn move_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        photo: PhotoId,
        place: Place,
    ) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            recipes::change(connection, &scope, id, |recipe| {
                album::shift(recipe, photo, place).map(|()| Parts::NONE)
            })
        })
    }

    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Photo> {
        let scope = scope.clone();
        self.read_long(move |connection| {
            let family = sight::family_of(connection, sight::of_recipe(&scope, id)?, id)?;
            get(connection, family, id, which)?.ok_or_else(|| Error::not_found(Thing::Photo, id))
        })
    }

    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Option<Photo>> {
        let scope = scope.clone();
        self.read_long(move |connection| {
            let family = sight::family_of(connection, sight::of_recipe(&scope, id)?, id)?;
            read(connection, "id, '', small", family, id, which)
        })
    }

    fn keep_form<'a>(&'a self, scope: &'a Scope, id: RecipeId, photo: Photo, form: Form) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::family_of(connection, sight::of_recipe(&scope, id)?, id)?;
            let Photo { id: photo, picture } = photo;
            let mime = picture.format.mime();
            let bytes: &[u8] = &picture.bytes;
            let which = "WHERE family_id = ?1 AND recipe_id = ?2 AND id = ?3";
            match form {
                Form::Small => {
                    let sql = format!("UPDATE photos SET small = ?4 {which}");
                    connection.execute(&sql, params![family, id, photo, bytes])?
                }
                Form::Whole => {
                    let sql = format!("UPDATE photos SET bytes = ?4, mime = ?5, small = NULL {which}");
                    connection.execute(&sql, params![family, id, photo, bytes, mime])?
                }
            };
            Ok(())
        })
    }

    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::to_change(connection, &scope, id)?;
            let mut removed = None;
            let recipe = recipes::change(connection, &scope, id, |recipe| {
                let photo = which.id().or(recipe.photo_id);
                let photo = photo.ok_or_else(|| Error::not_found(Thing::Photo, id))?;
                removed = Some(photo);
                album::take(recipe, photo).map(|()| Parts::NONE)
            })?;
            removed.map_or(Ok(()), |removed| delete(connection, family, id, removed))?;
            Ok(recipe)
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

fn delete(connection: &Connection, family: FamilyId, recipe: RecipeId, photo: PhotoId) -> Result<(), Error> {
    let sql = "DELETE FROM photos WHERE family_id = ?1 AND recipe_id = ?2 AND id = ?3";
    connection.execute(sql, params![family, recipe, photo])?;
    Ok(())
}

/// Takes every photo of a recipe away, for one that is written over.
pub(super) fn clear(connection: &Connection, family: FamilyId, recipe: RecipeId) -> Result<(), Error> {
    let sql = "DELETE FROM photos WHERE family_id = ?1 AND recipe_id = ?2";
    connection.execute(sql, params![family, recipe])?;
    Ok(())
}

pub(super) fn get(
    connection: &Connection,
    family: FamilyId,
    recipe: RecipeId,
    which: Which,
) -> Result<Option<Photo>, Error> {
    read(connection, "id, mime, bytes", family, recipe, which)
}

fn read(
    connection: &Connection,
    columns: &str,
    family: FamilyId,
    recipe: RecipeId,
    which: Which,
) -> Result<Option<Photo>, Error> {
    let sql = format!(
        "SELECT {columns} FROM photos WHERE family_id = ?1 AND recipe_id = ?2
         AND id = coalesce(?3, (SELECT photo_id FROM recipes WHERE family_id = ?1 AND id = ?2))"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let photo = statement.query_row(params![family, recipe, which.id()], |row| row::photo(row));
    Ok(photo.optional()?.flatten())
}
