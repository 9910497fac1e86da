//! The cards of the list page: what is asked, and what comes back.

use crate::id::{PhotoId, RecipeId};
use crate::listing::{Cursor, PageSize};
use crate::number::Rating;
use crate::search::Words;
use crate::tag::{Tag, TagCount};
use crate::time::Time;

/// Which recipes, and in which order.
#[derive(Debug, Clone, PartialEq)]
pub struct CardQuery {
    /// Only those with these words; the best come first, unless another order is asked for.
    pub words: Option<Words>,
    /// Only those with all of these tags.
    pub tags: Vec<Tag>,
    /// Only those that the person who asks likes best.
    pub favourites: bool,
    /// The order.
    pub sort: Sort,
    /// Those after this place, in the order of titles.
    pub after: Option<Cursor>,
    /// After skipping so many.
    pub skip: u32,
    /// At most so many.
    pub limit: PageSize,
}

/// The order of recipes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// By title, or by how well words fit.
    #[default]
    Title,
    /// The newest first.
    Newest,
    /// The quickest first.
    Time,
    /// Those that are liked most first.
    Rating,
    /// Those that were cooked last first.
    Cooked,
}

impl Sort {
    /// All of them.
    pub const ALL: [Sort; 5] = [Sort::Title, Sort::Newest, Sort::Time, Sort::Rating, Sort::Cooked];

    /// As addresses write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Sort::Title => "title",
            Sort::Newest => "newest",
            Sort::Time => "time",
            Sort::Rating => "rating",
            Sort::Cooked => "cooked",
        }
    }

    /// The order as SQL that both engines understand; what has no such value comes last.
    pub(crate) const fn sql(self) -> &'static str {
        match self {
            Sort::Title => "r.sort_key, r.id",
            Sort::Newest => "r.created_at DESC, r.id DESC",
            Sort::Time => {
                "CASE WHEN r.prep_time_minutes IS NULL AND r.cook_time_minutes IS NULL THEN 1 ELSE 0 END,
                 coalesce(r.prep_time_minutes, 0) + coalesce(r.cook_time_minutes, 0), r.sort_key, r.id"
            }
            Sort::Rating => "coalesce(r.rating, 0) DESC, r.sort_key, r.id",
            Sort::Cooked => "coalesce(r.last_cooked_at, 0) DESC, r.sort_key, r.id",
        }
    }
}

/// A recipe as a card shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its id.
    pub id: RecipeId,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
    /// How long it takes in all.
    pub minutes: i64,
    /// How much it is liked.
    pub rating: Option<Rating>,
    /// Its photo.
    pub photo_id: Option<PhotoId>,
    /// Whether the person who asks likes it best.
    pub is_favourite: bool,
}

/// A page of cards, and what the page around them says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cards {
    /// The cards.
    pub cards: Vec<Card>,
    /// Whether there are more, and where they start in the order of titles.
    pub next: Option<Cursor>,
    /// Every tag in use, in alphabetical order.
    pub tags: Vec<TagCount>,
    /// How many recipes there are in all.
    pub total: u64,
}

/// A recipe in the trash.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Trashed {
    /// Its id, to bring it back by.
    pub id: RecipeId,
    /// Its title.
    pub title: String,
    /// When it was deleted; it stays for 30 days.
    pub deleted_at: Time,
}
