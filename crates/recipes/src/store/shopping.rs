//! Shopping lists.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::FamilyId;
use crate::shopping::{Item, ListChange, ListName, ShoppingList};
use crate::title::Key;

use super::row::{self, ITEMS};
use super::sql::{Engine, Failure, How, Sql};
use super::{Answer, sight};

/// Keeps shopping lists, for the scope's home.
pub trait ShoppingLists {
    /// The names of the lists, in alphabetical order.
    fn shopping_lists<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<String>>;

    /// A list; one that nobody put anything on is empty.
    fn shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ShoppingList>;

    /// Changes a list in one step, and gives it as it is then.
    fn change_shopping_list<'a>(
        &'a self,
        scope: &'a Scope,
        name: ListName,
        change: ListChange,
    ) -> Answer<'a, ShoppingList>;

    /// Removes a list with everything on it.
    fn remove_shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ()>;
}

impl<E: Engine> ShoppingLists for E {
    fn shopping_lists<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<String>> {
        self.run(How::Read, scope, (), |tx, scope, ()| {
            Box::pin(async move {
                match scope.home() {
                    Some(family) => names(tx, family).await,
                    None => Ok(Vec::new()),
                }
            })
        })
    }

    fn shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ShoppingList> {
        self.run(How::Read, scope, name, |tx, scope, name| {
            Box::pin(async move {
                match scope.home() {
                    Some(family) => get(tx, family, name.as_str()).await,
                    None => Ok(ShoppingList { name: name.into_string(), items: Vec::new() }),
                }
            })
        })
    }

    fn change_shopping_list<'a>(
        &'a self,
        scope: &'a Scope,
        name: ListName,
        change: ListChange,
    ) -> Answer<'a, ShoppingList> {
        self.run(How::Write, scope, (name, change), |tx, scope, (name, change)| {
            Box::pin(async move {
                let family = scope.may(Role::Editor)?;
                sight::touch(tx, family).await?;
                self::change(tx, family, &name, change).await
            })
        })
    }

    fn remove_shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ()> {
        self.run(How::Write, scope, name, |tx, scope, name| {
            Box::pin(async move {
                let family = scope.may(Role::Editor)?;
                sight::touch(tx, family).await?;
                match clear(tx, family, name.as_str()).await? {
                    0 => Err(Error::not_found(Thing::ShoppingList, name).into()),
                    _ => Ok(()),
                }
            })
        })
    }
}

pub(super) async fn names(tx: &Sql<'_>, family: FamilyId) -> Result<Vec<String>, Failure> {
    let sql =
        "SELECT max(list_name) FROM shopping_items WHERE family_id = $1 GROUP BY list_key ORDER BY list_key";
    tx.all(sql, &[&family], |row| row.get(0)).await
}

pub(super) async fn get(tx: &Sql<'_>, family: FamilyId, name: &str) -> Result<ShoppingList, Failure> {
    let mut list = ShoppingList { name: name.to_owned(), items: Vec::new() };
    for (name, item) in tx.all(ITEMS, &[&family, &Key::of(name).as_str()], row::item).await? {
        list.name = name;
        list.items.push(item);
    }
    Ok(list)
}

/// Changes a list, and gives it as it is then.
pub(super) async fn change(
    tx: &Sql<'_>,
    family: FamilyId,
    name: &ListName,
    change: ListChange,
) -> Result<ShoppingList, Failure> {
    let mut list = get(tx, family, name.as_str()).await?;
    list.change(change).map_err(Error::from)?;
    put(tx, family, &list).await?;
    Ok(list)
}

/// Writes the whole list: it has few rows, and one way to write them has no special cases.
pub(super) async fn put(tx: &Sql<'_>, family: FamilyId, list: &ShoppingList) -> Result<(), Failure> {
    clear(tx, family, &list.name).await?;
    let (key, list_name) = (Key::of(&list.name), &list.name);
    match tx {
        Sql::Sqlite(_) => {
            for (position, item) in (0_i64..).zip(&list.items) {
                let Item { id, name, quantity, unit, checked } = item;
                let sql = "INSERT INTO shopping_items (family_id, list_key, position, list_name, id, name, quantity, unit,
                               checked) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
                let (key, list) = (key.as_str(), list_name);
                tx.execute(sql, &[&family, &key, &position, list, id, name, quantity, unit, checked]).await?;
            }
        }
        // All rows in one message.
        Sql::Postgres(_) => {
            let items = serde_json::to_string(&list.items).map_err(Error::unavailable)?;
            let sql = "INSERT INTO shopping_items (family_id, list_key, position, list_name, id, name, quantity, unit, checked)
                       SELECT $1, $2, i.position - 1, $3, i.id, i.name, i.quantity, i.unit, coalesce(i.checked, false)
                       FROM ROWS FROM (json_to_recordset($4::text::json)
                           AS (id uuid, name text, quantity double precision, unit text, checked boolean)) WITH ORDINALITY
                           AS i (id, name, quantity, unit, checked, position)";
            tx.execute(sql, &[&family, &key.as_str(), list_name, &items]).await?;
        }
    }
    Ok(())
}

async fn clear(tx: &Sql<'_>, family: FamilyId, name: &str) -> Result<u64, Failure> {
    let sql = "DELETE FROM shopping_items WHERE family_id = $1 AND list_key = $2";
    tx.execute(sql, &[&family, &Key::of(name).as_str()]).await
}
