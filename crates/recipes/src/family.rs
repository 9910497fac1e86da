//! Families, and who belongs to them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::email::Email;
use crate::error::Error;
use crate::id::FamilyId;
use crate::text::Text;
use crate::time::Time;
use crate::zone::Zone;

/// What a family is called.
pub type FamilyName = Text<1, 100>;

/// A family: the people who share one cookbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Family {
    /// Its id.
    pub id: FamilyId,
    /// Its name.
    pub name: FamilyName,
    /// When it was made.
    pub created_at: Time,
    /// Where it lives, for what "today" is; where the server runs unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<Zone>,
}

/// What somebody wants changed about a family; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FamilyChanges {
    /// A new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<FamilyName>,
    /// Another time zone, e.g. `Europe/Zurich`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<Zone>,
}

/// A member of a family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// Who.
    pub email: Email,
    /// What they may do.
    pub role: Role,
}

/// Refuses to take the last owner's place away: a family without one could never be changed again.
pub(crate) fn keep_an_owner(members: &[Member], email: &Email) -> Result<(), Error> {
    let mut owners = members.iter().filter(|member| member.role == Role::Owner);
    match (owners.next(), owners.next()) {
        (Some(last), None) if last.email == *email => Err(Error::invalid(
            "role",
            "the last owner of a family stays one; make somebody else an owner first",
        )),
        _ => Ok(()),
    }
}

/// What a member may do; each role may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read.
    Viewer,
    /// Change recipes, plans and lists.
    Editor,
    /// Change members and keys as well.
    Owner,
}

impl Role {
    /// As stores and JSON write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Editor => "editor",
            Role::Owner => "owner",
        }
    }

    /// From what a store kept.
    pub(crate) fn stored(text: &str) -> Option<Role> {
        [Role::Viewer, Role::Editor, Role::Owner].into_iter().find(|role| role.as_str() == text)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
