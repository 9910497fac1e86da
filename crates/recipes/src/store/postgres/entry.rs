//! An entry of the list of recipes as JSON, written from what an engine has in its row: fifty thousand of them are one
//! answer, so nothing is made on the way.

use json_string::write as string;

use crate::id::RecipeId;

/// What the list says about a recipe.
pub(super) struct Entry<'a> {
    pub(super) id: RecipeId,
    /// UTF-8, as all texts here.
    pub(super) title: &'a [u8],
    pub(super) description: Option<&'a [u8]>,
    pub(super) prep_time_minutes: Option<i64>,
    pub(super) cook_time_minutes: Option<i64>,
    pub(super) servings: Option<i64>,
    pub(super) difficulty: Option<i64>,
    /// A JSON array.
    pub(super) tags: &'a [u8],
}

impl Entry<'_> {
    /// Appends it as an object.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":\"");
        hyphenated(out, self.id.as_bytes());
        out.extend_from_slice(b"\",\"title\":");
        string(out, self.title);
        out.extend_from_slice(b",\"description\":");
        match self.description {
            Some(text) => string(out, text),
            None => out.extend_from_slice(b"null"),
        }
        number(out, b",\"prep_time_minutes\":", self.prep_time_minutes);
        number(out, b",\"cook_time_minutes\":", self.cook_time_minutes);
        number(out, b",\"servings\":", self.servings);
        number(out, b",\"difficulty\":", self.difficulty);
        if self.tags != b"[]" {
            out.extend_from_slice(b",\"tags\":");
            out.extend_from_slice(self.tags);
        }
        out.push(b'}');
    }
}

/// A number, where it is known.
fn number(out: &mut Vec<u8>, name: &[u8], value: Option<i64>) {
    if let Some(value) = value {
        out.extend_from_slice(name);
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(out, &value);
    }
}

/// An id as text, without the machinery of formatting.
fn hyphenated(out: &mut Vec<u8>, id: &[u8; 16]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    /// Where the two digits of each byte stand.
    const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
    let mut text = [b'-'; 36];
    for (place, byte) in PLACES.into_iter().zip(id) {
        text[place] = DIGITS[usize::from(byte >> 4)];
        text[place + 1] = DIGITS[usize::from(byte & 15)];
    }
    out.extend_from_slice(&text);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Entry, hyphenated};
    use crate::id::RecipeId;

    #[test]
    fn an_entry_has_what_is_known() {
        let id = RecipeId::new();
        let mut entry = Entry {
            id,
            title: b"A \"b\"",
            description: None,
            prep_time_minutes: None,
            cook_time_minutes: Some(5),
            servings: None,
            difficulty: None,
            tags: b"[]",
        };
        let read = |entry: &Entry<'_>| {
            let mut out = Vec::new();
            entry.write(&mut out);
            serde_json::from_slice::<Value>(&out).expect("JSON")
        };
        let expected = json!({ "id": id, "title": "A \"b\"", "description": null, "cook_time_minutes": 5 });
        assert_eq!(read(&entry), expected);
        entry.tags = b"[\"soup\"]";
        assert_eq!(read(&entry)["tags"], json!(["soup"]));
        let mut text = Vec::new();
        hyphenated(&mut text, id.as_bytes());
        assert_eq!(text, id.to_string().as_bytes());
    }
}
