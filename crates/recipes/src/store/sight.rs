//! What a scope sees, as a parameter of queries.

use crate::auth::{Reach, Scope};
use crate::error::{Error, Thing};
use crate::id::{FamilyId, RecipeId};

/// The families a query may look at: `None` is all of them, and only who reaches every family gets that.
pub(super) type Families = Option<FamilyId>;

/// The families in which a scope may look for a recipe.
pub(super) fn of_recipe(scope: &Scope, id: RecipeId) -> Result<Families, Error> {
    match scope.reach() {
        Reach::God { .. } | Reach::Everything => Ok(None),
        Reach::Family(family, _) => Ok(Some(family)),
        Reach::Recipe(family, only) if only == id => Ok(Some(family)),
        Reach::Recipe(..) | Reach::Nothing => Err(Error::not_found(Thing::Recipe, id)),
    }
}

/// The families whose recipes a scope may list; nothing for a scope that reaches no family.
pub(super) fn of_lists(scope: &Scope) -> Option<Families> {
    match scope.reach() {
        Reach::God { .. } | Reach::Everything => Some(None),
        Reach::Family(family, _) => Some(Some(family)),
        Reach::Recipe(..) | Reach::Nothing => None,
    }
}

/// The families whose things a scope may take back or bring back, whatever it may do there.
pub(super) fn of_owned(scope: &Scope) -> Option<Families> {
    match scope.reach() {
        Reach::God { .. } => Some(None),
        Reach::Family(family, _) => Some(Some(family)),
        Reach::Recipe(..) | Reach::Everything | Reach::Nothing => None,
    }
}
