//! Shopping lists. A list is there as long as something is on it.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::FamilyId;
use crate::shopping::{ListChange, ListName, ShoppingList};
use crate::store::row::{self, ITEMS};
use crate::store::{Answer, ShoppingLists};
use crate::title::Key;

use super::transaction::{Failure, Transaction};
use super::{Postgres, sight};

impl ShoppingLists for Postgres {
    fn shopping_lists<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<String>> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                match scope.home() {
                    Some(family) => names(tx, family).await,
                    None => Ok(Vec::new()),
                }
            })
        })
    }

    fn shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ShoppingList> {
        self.read(scope, move |tx| {
            let name = name.clone();
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
        self.write(scope, move |tx| {
            let (name, change) = (name.clone(), change.clone());
            Box::pin(async move {
                let family = scope.may(Role::Editor)?;
                sight::touch(tx, family).await?;
                self::change(tx, family, &name, change).await
            })
        })
    }

    fn remove_shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            let name = name.clone();
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

pub(super) async fn names(tx: &Transaction<'_>, family: FamilyId) -> Result<Vec<String>, Failure> {
    let sql =
        "SELECT max(list_name) FROM shopping_items WHERE family_id = $1 GROUP BY list_key ORDER BY list_key";
    let rows = tx.rows(sql, &[&family]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

pub(super) async fn get(tx: &Transaction<'_>, family: FamilyId, name: &str) -> Result<ShoppingList, Failure> {
    let mut list = ShoppingList { name: name.to_owned(), items: Vec::new() };
    for found in &tx.rows(ITEMS, &[&family, &Key::of(name).as_str()]).await? {
        let (name, item) = row::item(found)?;
        list.name = name;
        list.items.push(item);
    }
    Ok(list)
}

/// Changes a list, and gives it as it is then.
pub(super) async fn change(
    tx: &Transaction<'_>,
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
pub(super) async fn put(tx: &Transaction<'_>, family: FamilyId, list: &ShoppingList) -> Result<(), Failure> {
    clear(tx, family, &list.name).await?;
    let items = serde_json::to_string(&list.items).map_err(Error::unavailable)?;
    let sql = "INSERT INTO shopping_items (family_id, list_key, position, list_name, id, name, quantity, unit, checked)
               SELECT $1, $2, i.position - 1, $3, i.id, i.name, i.quantity, i.unit, coalesce(i.checked, false)
               FROM ROWS FROM (json_to_recordset($4::text::json)
                   AS (id uuid, name text, quantity double precision, unit text, checked boolean)) WITH ORDINALITY
                   AS i (id, name, quantity, unit, checked, position)";
    tx.execute(sql, &[&family, &Key::of(&list.name).as_str(), &list.name, &items]).await?;
    Ok(())
}

async fn clear(tx: &Transaction<'_>, family: FamilyId, name: &str) -> Result<u64, Failure> {
    let sql = "DELETE FROM shopping_items WHERE family_id = $1 AND list_key = $2";
    tx.execute(sql, &[&family, &Key::of(name).as_str()]).await
}
