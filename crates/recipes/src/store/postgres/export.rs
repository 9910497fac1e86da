//! Everything out, from one moment, while it is read.

use tokio::sync::mpsc::{Sender, channel};

use crate::auth::Scope;
use crate::error::Error;
use crate::family::Family;
use crate::photo::Which;
use crate::recipe::RecipePhoto;
use crate::record::Record;
use crate::store::Records;
use crate::store::transfer::WAITING;

use super::pool::Pool;
use super::transaction::{Ended, Failure, Mode, Transaction};
use super::{families, meals, photos, row, shopping};

/// Recipes that are read at once.
const PAGE: i64 = 100;

type Out = Sender<Result<Record, Error>>;

enum Stopped {
    NobodyListens,
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

/// Starts a task that reads; it ends when everything was read or nobody listens any more.
pub(super) fn start(pool: Pool, scope: Scope) -> Result<Records, Error> {
    let (out, records) = channel(WAITING);
    pool.handle()?.spawn(async move {
        if let Err(error) = run(&pool, &scope, &out).await {
            let _ = out.send(Err(error)).await;
        }
    });
    Ok(records)
}

async fn run(pool: &Pool, scope: &Scope, out: &Out) -> Result<(), Error> {
    let transaction = Transaction::begin(pool, scope, Mode::Read).await?;
    let done = match everything(&transaction, scope, out).await {
        Ok(()) | Err(Stopped::NobodyListens) => Ok(()),
        Err(Stopped::Failed(failure)) => Err(failure),
    };
    match transaction.end(done).await {
        Ended::Done(answer) => answer,
        Ended::Lost(error) => Err(error.into()),
    }
}

async fn everything(tx: &Transaction<'_>, scope: &Scope, out: &Out) -> Result<(), Stopped> {
    for family in families::families(tx, scope).await? {
        one_family(tx, family, out).await?;
    }
    Ok(())
}

async fn give(out: &Out, record: Record) -> Result<(), Stopped> {
    out.send(Ok(record)).await.map_err(|_| Stopped::NobodyListens)
}

async fn one_family(tx: &Transaction<'_>, family: Family, out: &Out) -> Result<(), Stopped> {
    let family_id = family.id;
    give(out, Record::Family(family)).await?;
    for member in families::members(tx, family_id).await? {
        give(out, Record::Member { family_id, member }).await?;
    }
    let mut after = i64::MIN;
    loop {
        let page = row::page(tx, family_id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for found in page {
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
    for meal in meals::of_family(tx, family_id).await? {
        give(out, Record::Meal { family_id, meal }).await?;
    }
    for name in shopping::names(tx, family_id).await? {
        let list = shopping::get(tx, family_id, &name).await?;
        give(out, Record::ShoppingList { family_id, list }).await?;
    }
    Ok(())
}
