//! Everything out, from one moment, while it is read.

use tokio::sync::mpsc::Sender;

use crate::auth::Scope;
use crate::error::Error;
use crate::family::Family;
use crate::photo::Which;
use crate::recipe::RecipePhoto;
use crate::record::Record;

use super::row::{self, RECIPES};
use super::sql::{Failure, Sql};
use super::{families, photos, plans, recipes, shopping};

/// Recipes that are read at once.
const PAGE: i64 = 100;

pub(super) type Out = Sender<Result<Record, Error>>;

/// Why an export ends early.
enum Stopped {
    NobodyListens,
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

/// Gives everything in reach; it ends when everything was read or nobody listens any more.
pub(super) async fn everything(tx: &Sql<'_>, scope: &Scope, out: &Out) -> Result<(), Failure> {
    for family in families::families(tx, scope).await? {
        match one_family(tx, family, out).await {
            Ok(()) => {}
            Err(Stopped::NobodyListens) => break,
            Err(Stopped::Failed(failure)) => return Err(failure),
        }
    }
    Ok(())
}

async fn give(out: &Out, record: Record) -> Result<(), Stopped> {
    out.send(Ok(record)).await.map_err(|_| Stopped::NobodyListens)
}

async fn one_family(tx: &Sql<'_>, family: Family, out: &Out) -> Result<(), Stopped> {
    let family_id = family.id;
    give(out, Record::Family(family)).await?;
    for member in families::members(tx, family_id).await? {
        give(out, Record::Member { family_id, member }).await?;
    }
    let sql =
        format!("{RECIPES}WHERE family_id = $1 AND seq > $2 AND deleted_at IS NULL ORDER BY seq LIMIT $3");
    let mut after = i64::MIN;
    loop {
        let page = tx.all(&sql, &[&family_id, &after, &PAGE], row::recipe).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for mut found in page {
            recipes::details(tx, &mut found).await?;
            let (recipe_id, photos) = (found.recipe.id, found.recipe.photos.clone());
            give(out, Record::Recipe { family_id, recipe: Box::new(found.recipe) }).await?;
            for RecipePhoto { id: photo_id, .. } in photos {
                if let Some(photo) = photos::get(tx, family_id, recipe_id, Which::One(photo_id)).await? {
                    let bytes = photo.picture.bytes;
                    give(out, Record::Photo { family_id, recipe_id, photo_id, bytes }).await?;
                }
            }
        }
    }
    for meal in plans::of_family(tx, family_id).await? {
        give(out, Record::Meal { family_id, meal }).await?;
    }
    for name in shopping::names(tx, family_id).await? {
        let list = shopping::get(tx, family_id, &name).await?;
        give(out, Record::ShoppingList { family_id, list }).await?;
    }
    Ok(())
}
