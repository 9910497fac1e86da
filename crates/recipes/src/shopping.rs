//! Shopping lists that add up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Thing};
use crate::few::{Few, at_most};
use crate::id::{ItemId, RecipeId};
use crate::number::Amount;
use crate::recipe::Recipe;
use crate::text::Text;
use crate::title::Key;
use crate::unit::Unit;

/// What a list is called; each family has as many as it likes, and each is there once something is on it.
pub type ListName = Text<1, 100>;

/// What to buy.
pub type ItemName = Text<1, 200>;
/// The unit of a quantity.
pub type ItemUnit = Text<0, 50>;

/// The list that is meant when none is named.
pub const DEFAULT_LIST: &str = "Shopping";

/// The most items a list may have.
pub const MOST_ITEMS: usize = 1_000;

/// Something to buy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewItem {
    /// What, e.g. `flour`.
    pub name: ItemName,
    /// How much, in `unit`.
    #[serde(default)]
    pub quantity: Option<Amount>,
    /// The unit of the quantity; none for things that are counted.
    #[serde(default)]
    pub unit: Option<ItemUnit>,
    /// The recipe it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe_id: Option<RecipeId>,
}

/// Things to buy.
pub type NewItems = Few<NewItem, 300>;

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// Its id, to check it off by.
    pub id: ItemId,
    /// What to buy.
    pub name: String,
    /// How much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Amount>,
    /// The unit of the quantity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether it is in the basket.
    pub checked: bool,
}

/// A shopping list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShoppingList {
    /// Its name.
    pub name: String,
    /// What is on it, in the order it was put there.
    #[serde(deserialize_with = "at_most::<MOST_ITEMS, _, _>")]
    pub items: Vec<Item>,
}

/// What becomes of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum ListChange {
    /// These are added; what is there already, not in the basket and of a unit that adds up, grows.
    Add(Vec<NewItem>),
    /// These are in the basket, or are not.
    Check {
        /// Which.
        items: Vec<ItemId>,
        /// Whether they are.
        checked: bool,
    },
    /// These are taken off.
    Remove(Vec<ItemId>),
    /// What is in the basket is taken off.
    ClearChecked,
    /// Everything is taken off.
    Clear,
}

/// A change that names an item that is not on the list, or makes it too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoChange {
    /// No such item.
    #[error("no such item: {0}")]
    NotFound(ItemId),
    /// Too long.
    #[error("a shopping list holds at most {MOST_ITEMS} items; clear what is bought first")]
    Full,
}

impl From<NoChange> for Error {
    fn from(error: NoChange) -> Error {
        match error {
            NoChange::NotFound(id) => Error::not_found(Thing::Item, id),
            NoChange::Full => Error::invalid("items", error),
        }
    }
}

impl ShoppingList {
    /// Does what the change says, or nothing.
    pub fn change(&mut self, change: ListChange) -> Result<(), NoChange> {
        match change {
            ListChange::Add(items) => {
                for item in items {
                    self.add(item);
                }
                if self.items.len() > MOST_ITEMS {
                    return Err(NoChange::Full);
                }
            }
            ListChange::Check { items, checked } => {
                for id in items {
                    let item =
                        self.items.iter_mut().find(|item| item.id == id).ok_or(NoChange::NotFound(id))?;
                    item.checked = checked;
                }
            }
            ListChange::Remove(items) => {
                for id in items {
                    let at =
                        self.items.iter().position(|item| item.id == id).ok_or(NoChange::NotFound(id))?;
                    self.items.remove(at);
                }
            }
            ListChange::ClearChecked => self.items.retain(|item| !item.checked),
            ListChange::Clear => self.items.clear(),
        }
        Ok(())
    }

    fn add(&mut self, new: NewItem) {
        let NewItem { name, quantity, unit, recipe_id: _ } = new;
        let key = Key::of(name.as_str());
        let unit = unit.filter(|unit| !unit.is_empty()).map(Text::into_string);
        let same = self.items.iter_mut().filter(|item| !item.checked && Key::of(&item.name) == key);
        for item in same {
            // Who wants butter, and 100 g of it, buys 100 g.
            if item.quantity.is_none() && item.unit.is_none() {
                (item.quantity, item.unit) = (quantity, unit);
                return;
            }
            if quantity.is_none() && unit.is_none() {
                return;
            }
            if let Some(sum) = sum((item.quantity, item.unit.as_deref()), (quantity, unit.as_deref())) {
                item.quantity = sum;
                return;
            }
        }
        let item = Item { id: ItemId::new(), name: name.into_string(), quantity, unit, checked: false };
        self.items.push(item);
    }
}

/// What to buy for a recipe; of a range, the larger amount.
pub fn needed(recipe: Recipe) -> impl Iterator<Item = NewItem> {
    let recipe_id = Some(recipe.id);
    recipe.ingredients.into_iter().map(move |placed| {
        let what = placed.what;
        NewItem { name: what.name, quantity: what.quantity_max.or(what.quantity), unit: what.unit, recipe_id }
    })
}

/// What two amounts are together, in the unit of the first; `None` if they do not add up.
#[allow(clippy::option_option, reason = "that they add up to no amount is an answer: salt and salt is salt")]
fn sum(one: (Option<Amount>, Option<&str>), other: (Option<Amount>, Option<&str>)) -> Option<Option<Amount>> {
    let (a, b) = match (one.0, other.0) {
        (None, None) => return Some(None),
        (Some(a), Some(b)) => (a, b),
        (None, Some(_)) | (Some(_), None) => return None,
    };
    let factor = match (one.1, other.1) {
        (None, None) => 1.0,
        (Some(this), Some(that)) => match (Unit::of(this), Unit::of(that)) {
            (Some(this), Some(that)) if this.dimension == that.dimension => that.size / this.size,
            (None, None) if Key::of(this) == Key::of(that) => 1.0,
            _ => return None,
        },
        (None, Some(_)) | (Some(_), None) => return None,
    };
    let total = Amount::new(a.get() + b.get() * factor).ok()?;
    Some(Some(total.times(1.0)))
}

#[cfg(test)]
mod tests {
    use super::{Item, ListChange, NewItem, NoChange, ShoppingList};
    use crate::id::ItemId;
    use crate::number::Amount;
    use crate::text::Text;

    fn item(name: &str, quantity: impl Into<Option<f64>>, unit: &str) -> NewItem {
        NewItem {
            name: Text::new(name).expect("a name"),
            quantity: quantity.into().map(|amount| Amount::new(amount).expect("an amount")),
            unit: (!unit.is_empty()).then(|| Text::new(unit).expect("a unit")),
            recipe_id: None,
        }
    }

    fn list(items: Vec<NewItem>) -> ShoppingList {
        let mut list = ShoppingList { name: "L".to_owned(), items: Vec::new() };
        list.change(ListChange::Add(items)).expect("added");
        list
    }

    fn amounts(list: &ShoppingList) -> Vec<String> {
        let amount = |Item { name, quantity, unit, .. }: &Item| {
            let quantity = quantity.map_or(String::new(), |amount| format!("{} ", amount.get()));
            format!("{quantity}{}{name}", unit.as_ref().map_or(String::new(), |unit| format!("{unit} ")))
        };
        list.items.iter().map(amount).collect()
    }

    #[test]
    fn equal_dimensions_add_up_and_nothing_else() {
        let list = list(vec![
            item("Flour", 500.0, "g"),
            item("flour", 1.0, "kg"),
            item("flour", 2.0, "cups"),
            item("Flour", 2.0, "tbsp"),
            item("eggs", 2.0, ""),
            item("Eggs", 3.0, ""),
            item("salt", None, ""),
            item("Salt", None, ""),
            item("salt", 1.0, "pinch"),
            item("salt", 1.0, "Pinch"),
        ]);
        assert_eq!(amounts(&list), ["1500 g Flour", "2.125 cups flour", "5 eggs", "2 pinch salt"]);
    }

    #[test]
    fn what_is_in_the_basket_stays_as_it_is() {
        let mut list = list(vec![item("eggs", 2.0, "")]);
        let id = list.items[0].id;
        list.change(ListChange::Check { items: vec![id], checked: true }).expect("checked");
        list.change(ListChange::Add(vec![item("eggs", 3.0, "")])).expect("added");
        assert_eq!(amounts(&list), ["2 eggs", "3 eggs"]);
        list.change(ListChange::ClearChecked).expect("cleared");
        assert_eq!(amounts(&list), ["3 eggs"]);
    }

    #[test]
    fn an_item_of_another_list_is_not_found() {
        let stranger = ItemId::new();
        let change = ListChange::Remove(vec![stranger]);
        assert_eq!(list(Vec::new()).change(change), Err(NoChange::NotFound(stranger)));
    }
}
