//! What can go wrong, for every way in: tools, REST, import.

use std::fmt;

use crate::family::Role;
use crate::id::RecipeId;
use crate::recipe::Version;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing in reach. Another family's things are not in reach, and the words are the same.
    #[error("{what} not found: {id}")]
    NotFound {
        /// What was looked for.
        what: Thing,
        /// What was asked for, as it was given.
        id: String,
    },
    /// The family has a recipe of this title.
    #[error(
        "a recipe with the title `{title}` already exists; choose another title or update the one that is there"
    )]
    TitleTaken {
        /// The title that was wanted.
        title: String,
        /// The recipe that has it.
        existing: Option<RecipeId>,
    },
    /// The recipe was changed since it was read.
    #[error("the recipe was changed meanwhile and is at version {}; read it again and repeat the change", current.0)]
    Stale {
        /// Its version now.
        current: Version,
    },
    /// A key of a repeated write came with another write.
    #[error("the idempotency key was used for another recipe; send the same recipe again, or take a new key")]
    KeyReused,
    /// Something of this name is there already.
    #[error("{what} already exists: {name}")]
    Exists {
        /// What.
        what: Thing,
        /// Its name.
        name: String,
    },
    /// A field does not fit.
    #[error("`{field}`: {reason}")]
    Invalid {
        /// Which field, as the client names it.
        field: &'static str,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// Whoever asks may not do this.
    #[error("this takes the role `{needed}` in the family; ask an owner of the family for it")]
    Forbidden {
        /// The least role that may.
        needed: Role,
    },
    /// The database cannot be used now.
    #[error("database unavailable: {reason}")]
    Unavailable {
        /// Why, and what to do.
        reason: String,
    },
    /// The API answers, and not with what was asked for, or does not answer.
    #[error("{0}")]
    Api(String),
    /// What is asked cannot be done here.
    #[error("{0}")]
    Unsupported(&'static str),
}

/// Things that are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// A recipe.
    Recipe,
    /// A photo of a recipe.
    Photo,
    /// A family.
    Family,
    /// A member of a family.
    Member,
    /// A planned meal.
    Meal,
    /// A shopping list.
    ShoppingList,
    /// An item of one.
    Item,
    /// A share link.
    Share,
    /// An API key.
    Key,
    /// A signed-in browser.
    Session,
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Thing::Recipe => "Recipe",
            Thing::Photo => "Photo of recipe",
            Thing::Family => "Family",
            Thing::Member => "Member",
            Thing::Meal => "Planned meal",
            Thing::ShoppingList => "Shopping list",
            Thing::Item => "Item of the shopping list",
            Thing::Share => "Share link",
            Thing::Key => "API key",
            Thing::Session => "Session",
        })
    }
}

impl Error {
    /// There is no such thing in reach.
    pub fn not_found(what: Thing, id: impl fmt::Display) -> Error {
        Error::NotFound { what, id: id.to_string() }
    }

    /// A field does not fit.
    pub fn invalid(field: &'static str, reason: impl fmt::Display) -> Error {
        Error::Invalid { field, reason: reason.to_string() }
    }

    /// The database cannot be used now.
    pub fn unavailable(reason: impl fmt::Display) -> Error {
        Error::Unavailable { reason: reason.to_string() }
    }
}
