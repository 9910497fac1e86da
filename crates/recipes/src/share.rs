//! Links to one recipe, for those without an account.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{FamilyId, RecipeId, ShareId};
use crate::secret::SecretHash;
use crate::time::Time;

/// How long a link works, in days, unless somebody says otherwise.
pub const DEFAULT_DAYS: i64 = 30;

/// A link, as lists show it: without its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Its id, to take it back by.
    pub id: ShareId,
    /// The recipe it shows.
    pub recipe_id: RecipeId,
    /// When it was made.
    pub created_at: Time,
    /// When it stops working.
    pub expires_at: Time,
}

/// A link to be kept.
#[derive(Debug, Clone)]
pub struct NewShare {
    /// The recipe it shows.
    pub recipe_id: RecipeId,
    /// What is kept of its token.
    pub token: SecretHash,
    /// When it stops working.
    pub expires_at: Time,
}

/// What a token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// Whose recipe.
    pub family: FamilyId,
    /// Which one.
    pub recipe: RecipeId,
    /// When the link stops working.
    pub expires_at: Time,
}
