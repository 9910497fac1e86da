//! One record of a portable archive: what export gives and restore takes, on every engine.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::family::{Family, Member};
use crate::id::{FamilyId, PhotoId, RecipeId};
use crate::plan::Meal;
use crate::recipe::Recipe;
use crate::shopping::ShoppingList;

/// A record. A family comes before what belongs to it, a recipe before its photo and meals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// A family.
    Family(Family),
    /// A member of a family.
    Member {
        /// Of which.
        family_id: FamilyId,
        /// Who.
        #[serde(flatten)]
        member: Member,
    },
    /// A recipe with its details.
    Recipe {
        /// Whose.
        family_id: FamilyId,
        /// The recipe.
        #[serde(flatten)]
        recipe: Box<Recipe>,
    },
    /// A photo; its bytes are kept beside the records.
    Photo {
        /// Whose.
        family_id: FamilyId,
        /// Of which recipe.
        recipe_id: RecipeId,
        /// Its id.
        photo_id: PhotoId,
        /// The file.
        #[serde(skip)]
        bytes: bytes::Bytes,
    },
    /// A planned meal.
    Meal {
        /// Whose.
        family_id: FamilyId,
        /// The meal.
        #[serde(flatten)]
        meal: Meal,
    },
    /// A shopping list.
    ShoppingList {
        /// Whose.
        family_id: FamilyId,
        /// The list.
        #[serde(flatten)]
        list: ShoppingList,
    },
}

/// Records that can be read from the beginning as often as needed, one by one: no more than one is in memory, and a write
/// that lost against another is done again.
pub trait Source: Send + Sync {
    /// All of them, in order.
    fn records(&self) -> Box<dyn Iterator<Item = Result<Record, Error>> + Send + '_>;
}

impl Source for Vec<Record> {
    fn records(&self) -> Box<dyn Iterator<Item = Result<Record, Error>> + Send + '_> {
        Box::new(self.iter().cloned().map(Ok))
    }
}

/// What restore does with a recipe whose title or id is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// The one that is there stays.
    #[default]
    Skip,
    /// The one from the archive replaces it.
    Replace,
}

/// What restore did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Restored {
    /// Records that were written.
    pub written: u64,
    /// Records that were left out because something was there already.
    pub skipped: u64,
}
