//! Families and their members.

use crate::auth::Scope;
use crate::email::Email;
use crate::family::{Family, FamilyChanges, FamilyName, Member, Role};
use crate::id::FamilyId;
use crate::store::Answer;

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
