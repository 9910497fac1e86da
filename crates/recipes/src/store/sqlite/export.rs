//! Everything out, from one moment, while it is read.

use rusqlite::Connection;
use tokio::sync::mpsc::{Sender, channel};

use crate::auth::Scope;
use crate::error::Error;
use crate::family::Family;
use crate::photo::Which;
use crate::recipe::RecipePhoto;
use crate::record::Record;
use crate::store::Records;
use crate::store::transfer::WAITING;

use super::database::{Access, Database, connect};
use super::{families, meals, photos, row, shopping};

type Out = Sender<Result<Record, Error>>;

enum Stopped {
    NobodyListens,
    Failed(Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped::Failed(error)
    }
}

/// Starts a thread that reads; it ends when everything was read or nobody listens any more.
pub(super) fn start(database: &Database, scope: Scope) -> Result<Records, Error> {
    let (out, records) = channel(WAITING);
    let path = database.path.clone();
    std::thread::Builder::new()
        .name("recipes-export".to_owned())
        .spawn(move || {
            let reader = connect(&path, Access::Read).map_err(Stopped::from);
            match reader.and_then(|connection| everything(&connection, &scope, &out)) {
                Ok(()) | Err(Stopped::NobodyListens) => {}
                Err(Stopped::Failed(error)) => {
                    let _ = out.blocking_send(Err(error));
                }
            }
        })
        .map_err(|error| Error::unavailable(format!("cannot start a thread: {error}")))?;
    Ok(records)
}

fn everything(connection: &Connection, scope: &Scope, out: &Out) -> Result<(), Stopped> {
    let moment = connection.unchecked_transaction().map_err(Error::from)?;
    families::families(&moment, scope)?.into_iter().try_for_each(|family| one_family(&moment, family, out))
}

fn one_family(connection: &Connection, family: Family, out: &Out) -> Result<(), Stopped> {
    let family_id = family.id;
    let give = |record| out.blocking_send(Ok(record)).map_err(|_| Stopped::NobodyListens);
    give(Record::Family(family))?;
    for member in families::members(connection, family_id)? {
        give(Record::Member { family_id, member })?;
    }
    row::every_recipe(connection, Some(family_id), |found| {
        let (recipe_id, photos) = (found.recipe.id, found.recipe.photos.clone());
        give(Record::Recipe { family_id, recipe: Box::new(found.recipe) })?;
        for RecipePhoto { id: photo_id, .. } in photos {
            if let Some(photo) = photos::get(connection, family_id, recipe_id, Which::One(photo_id))? {
                give(Record::Photo { family_id, recipe_id, photo_id, bytes: photo.picture.bytes })?;
            }
        }
        Ok::<(), Stopped>(())
    })?;
    for meal in meals::of_family(connection, family_id)? {
        give(Record::Meal { family_id, meal })?;
    }
    for name in shopping::names(connection, family_id)? {
        let list = shopping::get(connection, family_id, &name)?;
        give(Record::ShoppingList { family_id, list })?;
    }
    Ok(())
}
