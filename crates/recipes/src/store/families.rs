//! Families and their members.

use crate::auth::Scope;
use crate::email::Email;
use crate::error::{Error, Thing};
use crate::family::{self, Family, FamilyChanges, FamilyName, Member, Role};
use crate::id::FamilyId;
use crate::time::Time;

use super::row::{self, FAMILIES};
use super::sql::{Engine, Failure, How, Sql};
use super::{Answer, search, sight};

/// Keeps who belongs together.
pub trait Families {
    /// The oldest family. There is always one.
    fn default_family<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Family>;

    /// The families in reach, in the order in which they joined.
    fn families<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Family>>;

    /// Makes a family without members. Takes every family in reach.
    fn create_family<'a>(&'a self, scope: &'a Scope, name: &'a FamilyName) -> Answer<'a, Family>;

    /// Gives a family another name or time zone. Takes an owner.
    fn update_family<'a>(
        &'a self,
        scope: &'a Scope,
        id: FamilyId,
        changes: FamilyChanges,
    ) -> Answer<'a, Family>;

    /// Removes a family with everything it has, for good. Takes every family in reach; the last one stays.
    fn delete_family<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, ()>;

    /// The members of a family, by address.
    fn members<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, Vec<Member>>;

    /// Makes somebody a member, or changes their role. Takes an owner; the last owner stays one.
    fn set_member<'a>(
        &'a self,
        scope: &'a Scope,
        id: FamilyId,
        email: &'a Email,
        role: Role,
    ) -> Answer<'a, Member>;

    /// Takes somebody out of a family. Takes an owner; the last owner stays.
    fn remove_member<'a>(&'a self, scope: &'a Scope, id: FamilyId, email: &'a Email) -> Answer<'a, ()>;

    /// The families in reach that somebody is a member of, in the order in which they joined.
    fn memberships<'a>(&'a self, scope: &'a Scope, email: &'a Email) -> Answer<'a, Vec<(Family, Role)>>;
}

impl<E: Engine> Families for E {
    fn default_family<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Family> {
        self.run(How::ReadNewest, scope, (), |tx, scope, ()| {
            Box::pin(async move {
                let missing = || Error::not_found(Thing::Family, "default");
                let families = sight::of_lists(scope).ok_or_else(missing)?;
                let sql = format!("{FAMILIES}WHERE {} ORDER BY id LIMIT 1", sight::are_of(families, "id"));
                Ok(tx.one(&sql, &[&families], row::family).await?.ok_or_else(missing)?)
            })
        })
    }

    fn families<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Family>> {
        self.run(How::ReadNewest, scope, (), |tx, scope, ()| Box::pin(families(tx, scope)))
    }

    fn create_family<'a>(&'a self, scope: &'a Scope, name: &'a FamilyName) -> Answer<'a, Family> {
        self.run(How::Write, scope, name.clone(), |tx, scope, name| {
            Box::pin(async move {
                scope.must_be_god()?;
                let family = Family { id: FamilyId::new(), name, created_at: Time::now(), time_zone: None };
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
        self.run(How::Write, scope, (id, changes), |tx, scope, (id, FamilyChanges { name, time_zone })| {
            Box::pin(async move {
                scope.may_in(id, Role::Owner)?;
                let sql = "UPDATE families SET name = coalesce($2, name), time_zone = coalesce($3, time_zone) WHERE id = $1";
                tx.execute(sql, &[&id, &name, &time_zone]).await?;
                Ok(get(tx, id).await?.ok_or_else(|| Error::not_found(Thing::Family, id))?)
            })
        })
    }

    fn delete_family<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, ()> {
        self.run(How::Write, scope, id, |tx, scope, id| {
            Box::pin(async move {
                scope.must_be_god()?;
                // All rows, so that of two who remove the last two one is refused.
                let sql =
                    tx.either("SELECT id FROM families", "SELECT id FROM families ORDER BY id FOR UPDATE");
                let all: Vec<FamilyId> = tx.all(sql, &[], |row| row.get(0)).await?;
                if all == [id] {
                    let reason = "the last family cannot be removed; make another one first";
                    return Err(Error::invalid("family_id", reason).into());
                }
                search::forget_family(tx, id).await?;
                match tx.execute("DELETE FROM families WHERE id = $1", &[&id]).await? {
                    0 => Err(Error::not_found(Thing::Family, id).into()),
                    _ => Ok(()),
                }
            })
        })
    }

    fn members<'a>(&'a self, scope: &'a Scope, id: FamilyId) -> Answer<'a, Vec<Member>> {
        self.run(How::ReadNewest, scope, id, |tx, scope, id| {
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
        let member = Member { email: email.clone(), role };
        self.run(How::Write, scope, (id, member), |tx, scope, (id, member)| {
            Box::pin(async move {
                scope.may_in(id, Role::Owner)?;
                sight::hold(tx, id).await?;
                if member.role != Role::Owner {
                    keep_an_owner(tx, id, &member.email).await?;
                }
                put_member(tx, id, &member).await?;
                Ok(member)
            })
        })
    }

    fn remove_member<'a>(&'a self, scope: &'a Scope, id: FamilyId, email: &'a Email) -> Answer<'a, ()> {
        self.run(How::Write, scope, (id, email.clone()), |tx, scope, (id, email)| {
            Box::pin(async move {
                scope.may_in(id, Role::Owner)?;
                sight::hold(tx, id).await?;
                keep_an_owner(tx, id, &email).await?;
                let sql = "DELETE FROM members WHERE family_id = $1 AND email = $2";
                match tx.execute(sql, &[&id, &email]).await? {
                    0 => Err(Error::not_found(Thing::Member, email).into()),
                    _ => Ok(()),
                }
            })
        })
    }

    fn memberships<'a>(&'a self, scope: &'a Scope, email: &'a Email) -> Answer<'a, Vec<(Family, Role)>> {
        self.run(How::ReadNewest, scope, email.clone(), |tx, scope, email| {
            Box::pin(async move {
                let sql = "SELECT f.id, f.name, f.created_at, f.time_zone, m.role FROM members m
                           JOIN families f ON f.id = m.family_id WHERE m.email = $1 ORDER BY m.joined_at, f.id";
                let mut all = tx.all(sql, &[&email], |row| Ok((row::family(row)?, row.get(4)?))).await?;
                all.retain(|(family, _)| scope.reaches(family.id));
                Ok(all)
            })
        })
    }
}

pub(super) async fn families(tx: &Sql<'_>, scope: &Scope) -> Result<Vec<Family>, Failure> {
    let mut all = tx.all(&format!("{FAMILIES}ORDER BY id"), &[], row::family).await?;
    all.retain(|family| scope.reaches(family.id));
    Ok(all)
}

pub(super) async fn get(tx: &Sql<'_>, id: FamilyId) -> Result<Option<Family>, Failure> {
    tx.one(&format!("{FAMILIES}WHERE id = $1"), &[&id], row::family).await
}

/// A new family's revision starts at the time it was made; see `sight::revision`.
pub(super) async fn put(tx: &Sql<'_>, family: &Family) -> Result<(), Failure> {
    let Family { id, name, created_at, time_zone } = family;
    let sql = "INSERT INTO families (id, name, revision, created_at, time_zone) VALUES ($1, $2, $3, $4, $5)";
    tx.execute(sql, &[id, name, &Time::now(), created_at, time_zone]).await?;
    Ok(())
}

pub(super) async fn put_member(tx: &Sql<'_>, id: FamilyId, member: &Member) -> Result<(), Failure> {
    let sql = "INSERT INTO members (family_id, email, role, joined_at) VALUES ($1, $2, $3, $4)
               ON CONFLICT (family_id, email) DO UPDATE SET role = excluded.role";
    tx.execute(sql, &[&id, &member.email, &member.role, &Time::now()]).await?;
    Ok(())
}

pub(super) async fn members(tx: &Sql<'_>, id: FamilyId) -> Result<Vec<Member>, Failure> {
    let sql = "SELECT email, role FROM members WHERE family_id = $1 ORDER BY email";
    tx.all(sql, &[&id], row::member).await
}

async fn keep_an_owner(tx: &Sql<'_>, id: FamilyId, email: &Email) -> Result<(), Failure> {
    Ok(family::keep_an_owner(&members(tx, id).await?, email)?)
}
