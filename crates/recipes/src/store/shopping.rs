//! Shopping lists.

use crate::auth::Scope;
use crate::shopping::{ListChange, ListName, ShoppingList};
use crate::store::Answer;

/// Keeps shopping lists, for the scope's home.
pub trait ShoppingLists {
    /// The names of the lists, in alphabetical order.
    fn shopping_lists<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<String>>;

    /// A list; one that nobody put anything on is empty.
    fn shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ShoppingList>;

    /// Changes a list in one step, and gives it as it is then.
    fn change_shopping_list<'a>(
        &'a self,
        scope: &'a Scope,
        name: ListName,
        change: ListChange,
    ) -> Answer<'a, ShoppingList>;

    /// Removes a list with everything on it.
    fn remove_shopping_list<'a>(&'a self, scope: &'a Scope, name: ListName) -> Answer<'a, ()>;
}
