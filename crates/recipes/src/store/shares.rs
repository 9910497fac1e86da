//! Share links.

use crate::auth::Scope;
use crate::id::{RecipeId, ShareId};
use crate::secret::SecretHash;
use crate::share::{NewShare, Opened, Share};
use crate::store::Answer;

/// Keeps links to single recipes.
pub trait Shares {
    /// Keeps a link to a recipe in reach.
    fn create_share<'a>(&'a self, scope: &'a Scope, share: NewShare) -> Answer<'a, Share>;

    /// The links to a recipe.
    fn shares<'a>(&'a self, scope: &'a Scope, recipe: RecipeId) -> Answer<'a, Vec<Share>>;

    /// Takes a link back.
    fn revoke_share<'a>(&'a self, scope: &'a Scope, id: ShareId) -> Answer<'a, ()>;

    /// What a token opens, expired or not. For the auth layer.
    fn opened_by<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Opened>>;
}
