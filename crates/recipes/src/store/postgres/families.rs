//! Families and their members.

use crate::auth::Scope;
use crate::email::Email;
use crate::error::{Error, Thing};
use crate::family::{self, Family, FamilyChanges, FamilyName, Member, Role};
use crate::id::FamilyId;
use crate::store::row::{self, FAMILIES};
use crate::store::{Answer, Families};
use crate::time::Time;

use super::transaction::{Failure, Transaction};
use super::{Postgres, sight};

impl Families for Postgres {
    fn default_family<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Family> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                let missing = || Error::not_found(Thing::Family, "default");
                let families = sight::of_lists(scope).ok_or_else(missing)?;
                let condition = "WHERE $1::uuid IS NULL OR id = $1 ORDER BY id LIMIT 1";
                let row = tx.row(&format!("{FAMILIES}{condition}"), &[&families]).await?;
                Ok(row::family(&row.ok_or_else(missing)?)?)
            })
        })
    }

    fn families<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Family>> {
        self.read_newest(scope, move |tx| Box::pin(families(tx, scope)))
    }

    fn create_family<'a>(&'a self, scope: &'a Scope, name: &'a FamilyName) -> Answer<'a, Family> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let (id, created_at) = (FamilyId::new(), Time::now());
                let family = Family { id, name: name.clone(), created_at, time_zone: None };
                put(tx, &family).await?;
                Ok(family)
            })
        })
    }

    fn update_family<'a>(
        &'a self,
        scope: &'a Scope,
        id: FamilyId,
        changes: FamilyChanges,
    ) -> Answer<'a, Family> {
        self.write(scope, move |tx| {
            let FamilyChanges { name, time_zone } = changes.clone();
            Box::pin(async move {
                scope.may_in(id, Role::Owner)?;
                let sql = "UPDATE families SET name = coalesce($2, name), time_zone = coalesce($3, time_zone) WHERE id = $1";
                tx.execute(sql, &[&id, &name, &time_zone]).await?;
                Ok(get(tx, id).await?.ok_or_else(|| Error::not_found(Thing::Family, id))?)
            })
        })
    }

    fn delete_family<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                // All rows, so that of two who remove the last two one is refused.
                let all = tx.rows("SELECT id FROM families ORDER BY id FOR UPDATE", &[]).await?;
                if all.len() == 1 && get(tx, id).await?.is_some() {
                    let reason = "the last family cannot be removed; make another one first";
                    return Err(Error::invalid("family_id", reason).into());
                }
                match tx.execute("DELETE FROM families WHERE id = $1", &[&id]).await? {
                    0 => Err(Error::not_found(Thing::Family, id).into()),
                    _ => Ok(()),
                }
            })
        })
    }

    fn members<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, Vec<Member>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                if !scope.reaches(id) || get(tx, id).await?.is_none() {
                    return Err(Error::not_found(Thing::Family, id).into());
                }
                members(tx, id).await
            })
        })
    }

    fn set_member<'a>(
        &'a self,
        scope: &'a Scope,
        id: FamilyId,
        email: &'a Email,
        role: Role,
    ) -> Answer<'a, Member> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                scope.may_in(id, Role::Owner)?;
                sight::hold(tx, id).await?;
                let member = Member { email: email.clone(), role };
                if role != Role::Owner {
                    keep_an_owner(tx, id, email).await?;
                }
                put_member(tx, id, &member).await?;
                Ok(member)
            })
        })
    }

    fn remove_member<'a>(&'a self, scope: &'a Scope, id: FamilyId, email: &'a Email) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                scope.may_in(id, Role::Owner)?;
                sight::hold(tx, id).await?;
                keep_an_owner(tx, id, email).await?;
                let sql = "DELETE FROM members WHERE family_id = $1 AND email = $2";
                match tx.execute(sql, &[&id, email]).await? {
                    0 => Err(Error::not_found(Thing::Member, email).into()),
                    _ => Ok(()),
                }
            })
        })
    }

    fn memberships<'a>(&'a self, scope: &'a Scope, email: &'a Email) -> Answer<'a, Vec<(Family, Role)>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                let sql = "SELECT f.id, f.name, f.created_at, f.time_zone, m.role FROM members m
                           JOIN families f ON f.id = m.family_id WHERE m.email = $1 ORDER BY m.joined_at, f.id";
                let mut found = Vec::new();
                for row in tx.rows(sql, &[email]).await? {
                    let family = row::family(&row)?;
                    if scope.reaches(family.id) {
                        found.push((family, row.try_get(4)?));
                    }
                }
                Ok(found)
            })
        })
    }
}

pub(super) async fn families(tx: &Transaction<'_>, scope: &Scope) -> Result<Vec<Family>, Failure> {
    let all = tx.rows(&format!("{FAMILIES}ORDER BY id"), &[]).await?;
    let all = all.iter().map(row::family).collect::<Result<Vec<Family>, _>>()?;
    Ok(all.into_iter().filter(|family| scope.reaches(family.id)).collect())
}

pub(super) async fn get(tx: &Transaction<'_>, id: FamilyId) -> Result<Option<Family>, Failure> {
    Ok(tx.row(&format!("{FAMILIES}WHERE id = $1"), &[&id]).await?.as_ref().map(row::family).transpose()?)
}

/// A new family's revision starts at the time it was made; see `sight::revision`.
pub(super) async fn put(tx: &Transaction<'_>, family: &Family) -> Result<(), Failure> {
    let Family { id, name, created_at, time_zone } = family;
    let sql = "INSERT INTO families (id, name, revision, created_at, time_zone) VALUES ($1, $2, $3, $4, $5)";
    tx.execute(sql, &[id, name, &Time::now(), created_at, time_zone]).await?;
    Ok(())
}

pub(super) async fn put_member(tx: &Transaction<'_>, id: FamilyId, member: &Member) -> Result<(), Failure> {
    let sql = "INSERT INTO members (family_id, email, role, joined_at) VALUES ($1, $2, $3, $4)
               ON CONFLICT (family_id, email) DO UPDATE SET role = excluded.role";
    tx.execute(sql, &[&id, &member.email, &member.role, &Time::now()]).await?;
    Ok(())
}

/// What somebody may do in a family.
pub(super) async fn role(tx: &Transaction<'_>, id: FamilyId, email: &Email) -> Result<Option<Role>, Failure> {
    let sql = "SELECT role FROM members WHERE family_id = $1 AND email = $2";
    let row = tx.row(sql, &[&id, email]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

pub(super) async fn members(tx: &Transaction<'_>, id: FamilyId) -> Result<Vec<Member>, Failure> {
    let sql = "SELECT email, role FROM members WHERE family_id = $1 ORDER BY email";
    let rows = tx.rows(sql, &[&id]).await?;
    Ok(rows.iter().map(row::member).collect::<Result<_, _>>()?)
}

async fn keep_an_owner(tx: &Transaction<'_>, id: FamilyId, email: &Email) -> Result<(), Failure> {
    Ok(family::keep_an_owner(&members(tx, id).await?, email)?)
}
