//! What somebody who asks can reach. Only the auth layer makes scopes: everything here that makes one is private to it.

use crate::email::Email;
use crate::error::Error;
use crate::family::Role;
use crate::id::{FamilyId, KeyId, RecipeId};

/// What somebody can reach, and who it is. Every method of the store takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    reach: Reach,
    actor: Actor,
}

/// What is in reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Nothing at all.
    Nothing,
    /// One recipe of a family, to read.
    Recipe(FamilyId, RecipeId),
    /// One family, with what a role may do there.
    Family(FamilyId, Role),
    /// Every family, to read.
    Everything,
    /// Every family. What is made goes to the one named here.
    God {
        /// Where new things go, and whose plan and lists are meant.
        home: FamilyId,
    },
}

/// Who it is; becomes `created_by` and `updated_by`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Person(Email),
    /// A program with a key.
    Key(KeyId),
    /// Whoever may open the database file.
    Local,
    /// Somebody with a link.
    Anonymous,
}

impl Scope {
    pub(super) fn new(reach: Reach, actor: Actor) -> Scope {
        Scope { reach, actor }
    }

    /// What is in reach.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Who it is.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The name to keep with what this one writes.
    pub fn author(&self) -> Option<String> {
        match &self.actor {
            Actor::Person(email) => Some(email.to_string()),
            Actor::Key(id) => Some(format!("key:{id}")),
            Actor::Local | Actor::Anonymous => None,
        }
    }

    /// The one family in reach; `None` if there are all, or none.
    pub fn family(&self) -> Option<FamilyId> {
        match self.reach {
            Reach::Family(family, _) | Reach::Recipe(family, _) => Some(family),
            Reach::Nothing | Reach::Everything | Reach::God { .. } => None,
        }
    }

    /// The family that plans, lists and new things belong to.
    pub fn home(&self) -> Option<FamilyId> {
        match self.reach {
            Reach::Family(family, _) => Some(family),
            Reach::God { home } => Some(home),
            Reach::Nothing | Reach::Everything | Reach::Recipe(..) => None,
        }
    }

    /// Whether every family is in reach.
    pub fn is_god(&self) -> bool {
        matches!(self.reach, Reach::God { .. })
    }

    /// Whether things of this family are in reach.
    pub fn reaches(&self, family: FamilyId) -> bool {
        match self.reach {
            Reach::God { .. } | Reach::Everything => true,
            Reach::Family(own, _) => own == family,
            Reach::Recipe(..) | Reach::Nothing => false,
        }
    }

    /// The family to write to, if this one may do there what `needed` may.
    pub fn may(&self, needed: Role) -> Result<FamilyId, Error> {
        match self.reach {
            Reach::God { home } => Ok(home),
            Reach::Family(family, role) if role >= needed => Ok(family),
            Reach::Family(..) | Reach::Recipe(..) | Reach::Everything | Reach::Nothing => {
                Err(Error::Forbidden { needed })
            }
        }
    }

    /// As [`Scope::may`], for a family that was named: one out of reach does not exist.
    pub fn may_in(&self, family: FamilyId, needed: Role) -> Result<FamilyId, Error> {
        if !self.reaches(family) {
            return Err(Error::not_found(crate::error::Thing::Family, family));
        }
        self.may(needed).map(|_| family)
    }

    /// Whether this one reaches every family; what else there is belongs to no family.
    pub fn must_be_god(&self) -> Result<(), Error> {
        if self.is_god() { Ok(()) } else { Err(Error::Forbidden { needed: Role::Owner }) }
    }
}
