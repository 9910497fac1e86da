//! What is asked of the list of recipes, and what comes back.

use std::str::FromStr;
use std::sync::Arc;

use crate::id::RecipeId;
use crate::number::Whole;
use crate::tag::Tag;
use crate::title::Key;

/// How many recipes a page has.
pub type PageSize = Whole<1, 1_000>;

/// Which recipes, and how many of them. Without a size, all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListQuery {
    /// Only those with all of these tags.
    pub tags: Vec<Tag>,
    /// At most so many.
    pub limit: Option<PageSize>,
    /// Those after this place.
    pub after: Option<Cursor>,
}

impl ListQuery {
    /// Whether it asks for everything.
    pub fn is_whole(&self) -> bool {
        *self == ListQuery::default()
    }
}

/// Changes with every write that can change what a scope reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Revision(pub i64);

/// Recipes as JSON, written while the rows are read: nothing else is made of them on the way.
#[derive(Debug, Clone)]
pub struct Listing {
    /// When it was true.
    pub revision: Revision,
    /// An array of objects with `id`, `title`, `description` and what else is known and short.
    pub json: Arc<String>,
    /// Where the next page starts.
    pub next: Option<Cursor>,
}

/// The place of a recipe in the list, by title. Opaque to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// What the title of the last recipe seen is sorted by.
    pub sort_key: String,
    /// Its id.
    pub id: RecipeId,
}

/// Text that is no cursor of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of an earlier answer; leave it out to start at the beginning")]
pub struct NoCursor;

impl Cursor {
    /// The place before every title that begins with this.
    pub fn before(beginning: &str) -> Cursor {
        // No title has this character, and PostgreSQL knows no text with it.
        let beginning = beginning.replace('\0', "");
        Cursor { sort_key: Key::of(&beginning).for_sorting(), id: RecipeId::from_bytes([0; 16]) }
    }

    /// As clients see it: the id, which has 36 characters, and the key in hexadecimal digits.
    pub fn to_text(&self) -> String {
        format!("{}{}", self.id, hex::encode(&self.sort_key))
    }
}

impl FromStr for Cursor {
    type Err = NoCursor;

    fn from_str(text: &str) -> Result<Cursor, NoCursor> {
        let (id, key) = text.split_at_checked(36).ok_or(NoCursor)?;
        // Folding a title can make it longer, but not without bound.
        let bytes = if key.len() > 10_000 { None } else { hex::decode(key).ok() };
        let key = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let sort_key = key.filter(|key| !key.contains('\0')).ok_or(NoCursor)?;
        Ok(Cursor { sort_key, id: id.parse().map_err(|_| NoCursor)? })
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, NoCursor};
    use crate::id::RecipeId;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor { sort_key: "crème brûlée".to_owned(), id: RecipeId::new() };
        assert_eq!(cursor.to_text().parse(), Ok(cursor.clone()));
        for bad in [
            "",
            "x",
            &cursor.to_text()[1..],
            &format!("{}é", cursor.id),
            &format!("{}fff", cursor.id),
            &format!("{}00", cursor.id),
        ] {
            assert_eq!(bad.parse::<Cursor>(), Err(NoCursor), "{bad}");
        }
    }
}
