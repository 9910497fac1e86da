//! Families and their members.

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::Scope;
use crate::email::Email;
use crate::error::{Error, Thing};
use crate::family::{self, Family, FamilyChanges, FamilyName, Member, Role};
use crate::id::FamilyId;
use crate::store::row::{self, FAMILIES};
use crate::store::{Answer, Families};
use crate::time::Time;

use super::{Sqlite, sight};

impl Families for Sqlite {
    fn default_family<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Family> {
        self.read(move |connection| {
            let missing = || Error::not_found(Thing::Family, "default");
            let families = sight::of_lists(scope).ok_or_else(missing)?;
            let condition = "WHERE ?1 IS NULL OR id = ?1 ORDER BY id LIMIT 1";
            let mut statement = connection.prepare_cached(&format!("{FAMILIES}{condition}"))?;
            statement.query_row(params![families], |row| row::family(row)).optional()?.ok_or_else(missing)
        })
    }

    fn families<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Family>> {
        self.read(move |connection| families(connection, scope))
    }

    fn create_family<'a>(&'a self, scope: &'a Scope, name: &'a FamilyName) -> Answer<'a, Family> {
        let (scope, name) = (scope.clone(), name.clone());
        self.write(move |connection| {
            scope.must_be_god()?;
            let family = Family { id: FamilyId::new(), name, created_at: Time::now(), time_zone: None };
            put(connection, &family)?;
            Ok(family)
        })
    }

    fn update_family<'a>(
        &'a self,
        scope: &'a Scope,
        id: FamilyId,
        changes: FamilyChanges,
    ) -> Answer<'a, Family> {
        let scope = scope.clone();
        self.write(move |connection| {
            scope.may_in(id, Role::Owner)?;
            let FamilyChanges { name, time_zone } = changes;
            let sql = "UPDATE families SET name = coalesce(?2, name), time_zone = coalesce(?3, time_zone) WHERE id = ?1";
            connection.execute(sql, params![id, name, time_zone])?;
            get(connection, id)?.ok_or_else(|| Error::not_found(Thing::Family, id))
        })
    }

    fn delete_family<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            scope.must_be_god()?;
            let others =
                connection.query_row("SELECT count(*) FROM families", [], |row| row.get::<_, i64>(0))?;
            if others == 1 && get(connection, id)?.is_some() {
                return Err(Error::invalid(
                    "family_id",
                    "the last family cannot be removed; make another one first",
                ));
            }
            let sql =
                "DELETE FROM recipe_search WHERE rowid IN (SELECT seq FROM recipes WHERE family_id = ?1)";
            connection.execute(sql, params![id])?;
            match connection.execute("DELETE FROM families WHERE id = ?1", params![id])? {
                0 => Err(Error::not_found(Thing::Family, id)),
                _ => Ok(()),
            }
        })
    }

    fn members<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, Vec<Member>> {
        self.read(move |connection| {
            if !scope.reaches(id) || get(connection, id)?.is_none() {
                return Err(Error::not_found(Thing::Family, id));
            }
            members(connection, id)
        })
    }

    fn set_member<'a>(
        &'a self,
        scope: &'a Scope,
        id: FamilyId,
        email: &'a Email,
        role: Role,
    ) -> Answer<'a, Member> {
        let (scope, email) = (scope.clone(), email.clone());
        self.write(move |connection| {
            scope.may_in(id, Role::Owner)?;
            if get(connection, id)?.is_none() {
                return Err(Error::not_found(Thing::Family, id));
            }
            let member = Member { email, role };
            if role != Role::Owner {
                keep_an_owner(connection, id, &member.email)?;
            }
            put_member(connection, id, &member)?;
            Ok(member)
        })
    }

    fn remove_member<'a>(&'a self, scope: &'a Scope, id: FamilyId, email: &'a Email) -> Answer<'a, ()> {
        let (scope, email) = (scope.clone(), email.clone());
        self.write(move |connection| {
            scope.may_in(id, Role::Owner)?;
            keep_an_owner(connection, id, &email)?;
            let sql = "DELETE FROM members WHERE family_id = ?1 AND email = ?2";
            match connection.execute(sql, params![id, email])? {
                0 => Err(Error::not_found(Thing::Member, email)),
                _ => Ok(()),
            }
        })
    }

    fn memberships<'a>(&'a self, scope: &'a Scope, email: &'a Email) -> Answer<'a, Vec<(Family, Role)>> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT f.id, f.name, f.created_at, f.time_zone, m.role FROM members m JOIN families f ON f.id = m.family_id
                 WHERE m.email = ?1 ORDER BY m.joined_at, f.id",
            )?;
            let all = statement.query_map(params![email], |row| Ok((row::family(row)?, row.get(4)?)))?;
            let all = all.collect::<rusqlite::Result<Vec<(Family, Role)>>>()?;
            Ok(all.into_iter().filter(|(family, _)| scope.reaches(family.id)).collect())
        })
    }
}

pub(super) fn families(connection: &Connection, scope: &Scope) -> Result<Vec<Family>, Error> {
    let mut statement = connection.prepare_cached(&format!("{FAMILIES}ORDER BY id"))?;
    let all = statement.query_map([], |row| row::family(row))?.collect::<rusqlite::Result<Vec<Family>>>()?;
    Ok(all.into_iter().filter(|family| scope.reaches(family.id)).collect())
}

pub(super) fn get(connection: &Connection, id: FamilyId) -> Result<Option<Family>, Error> {
    let mut statement = connection.prepare_cached(&format!("{FAMILIES}WHERE id = ?1"))?;
    Ok(statement.query_row(params![id], |row| row::family(row)).optional()?)
}

/// A new family's revision starts at the time it was made; see `list::revision`.
pub(super) fn put(connection: &Connection, family: &Family) -> Result<(), Error> {
    let Family { id, name, created_at, time_zone } = family;
    let sql = "INSERT INTO families (id, name, revision, created_at, time_zone) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.execute(sql, params![id, name, Time::now(), created_at, time_zone])?;
    Ok(())
}

pub(super) fn put_member(connection: &Connection, id: FamilyId, member: &Member) -> Result<(), Error> {
    let sql = "INSERT INTO members (family_id, email, role, joined_at) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (family_id, email) DO UPDATE SET role = excluded.role";
    connection.execute(sql, params![id, member.email, member.role, Time::now()])?;
    Ok(())
}

/// What somebody may do in a family.
pub(super) fn role(connection: &Connection, id: FamilyId, email: &Email) -> Result<Option<Role>, Error> {
    let sql = "SELECT role FROM members WHERE family_id = ?1 AND email = ?2";
    Ok(connection.prepare_cached(sql)?.query_row(params![id, email], |row| row.get(0)).optional()?)
}

pub(super) fn members(connection: &Connection, id: FamilyId) -> Result<Vec<Member>, Error> {
    let sql = "SELECT email, role FROM members WHERE family_id = ?1 ORDER BY email";
    let mut statement = connection.prepare_cached(sql)?;
    let members = statement.query_map(params![id], |row| row::member(row))?;
    Ok(members.collect::<rusqlite::Result<_>>()?)
}

fn keep_an_owner(connection: &Connection, id: FamilyId, email: &Email) -> Result<(), Error> {
    family::keep_an_owner(&members(connection, id)?, email)
}
