//! Shopping lists. A list is there as long as something is on it.

use rusqlite::{Connection, params};

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::FamilyId;
use crate::shopping::{Item, ListChange, ListName, ShoppingList};
use crate::store::row::{self, ITEMS};
use crate::store::{Answer, ShoppingLists};
use crate::title::Key;

use super::{Sqlite, sight};

impl ShoppingLists for Sqlite {
    fn shopping_lists<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<String>> {
        self.read(move |connection| scope.home().map_or(Ok(Vec::new()), |family| names(connection, family)))
    }

    fn shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ShoppingList> {
        self.read(move |connection| match scope.home() {
            Some(family) => get(connection, family, name.as_str()),
            None => Ok(ShoppingList { name: name.into_string(), items: Vec::new() }),
        })
    }

    fn change_shopping_list<'a>(
        &'a self,
        scope: &'a Scope,
        name: ListName,
        change: ListChange,
    ) -> Answer<'a, ShoppingList> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = scope.may(Role::Editor)?;
            let list = self::change(connection, family, &name, change)?;
            sight::touch(connection, family)?;
            Ok(list)
        })
    }

    fn remove_shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = scope.may(Role::Editor)?;
            if clear(connection, family, name.as_str())? == 0 {
                return Err(Error::not_found(Thing::ShoppingList, name));
            }
            sight::touch(connection, family)
        })
    }
}

pub(super) fn names(connection: &Connection, family: FamilyId) -> Result<Vec<String>, Error> {
    let sql =
        "SELECT max(list_name) FROM shopping_items WHERE family_id = ?1 GROUP BY list_key ORDER BY list_key";
    let mut statement = connection.prepare_cached(sql)?;
    let names = statement.query_map(params![family], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn get(connection: &Connection, family: FamilyId, name: &str) -> Result<ShoppingList, Error> {
    let mut statement = connection.prepare_cached(ITEMS)?;
    let mut list = ShoppingList { name: name.to_owned(), items: Vec::new() };
    for found in statement.query_map(params![family, Key::of(name).as_str()], |row| row::item(row))? {
        let (name, item) = found?;
        list.name = name;
        list.items.push(item);
    }
    Ok(list)
}

/// Changes a list, and gives it as it is then.
pub(super) fn change(
    connection: &Connection,
    family: FamilyId,
    name: &ListName,
    change: ListChange,
) -> Result<ShoppingList, Error> {
    let mut list = get(connection, family, name.as_str())?;
    list.change(change)?;
    put(connection, family, &list)?;
    Ok(list)
}

/// Writes the whole list: it has few rows, and one way to write them has no special cases.
pub(super) fn put(connection: &Connection, family: FamilyId, list: &ShoppingList) -> Result<(), Error> {
    clear(connection, family, &list.name)?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO shopping_items (family_id, list_key, position, list_name, id, name, quantity, unit, checked)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let key = Key::of(&list.name);
    for (position, item) in (0_i64..).zip(&list.items) {
        let Item { id, name, quantity, unit, checked } = item;
        statement.execute(params![
            family,
            key.as_str(),
            position,
            list.name,
            id,
            name,
            quantity,
            unit,
            checked
        ])?;
    }
    Ok(())
}

fn clear(connection: &Connection, family: FamilyId, name: &str) -> Result<usize, Error> {
    let sql = "DELETE FROM shopping_items WHERE family_id = ?1 AND list_key = ?2";
    Ok(connection.prepare_cached(sql)?.execute(params![family, Key::of(name).as_str()])?)
}
