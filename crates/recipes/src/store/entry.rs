//! An entry of the list of recipes as JSON, written from what an engine has in its row: fifty thousand of them are one
//! answer, so nothing is made on the way.

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

/// A JSON string. Eight bytes at a time are looked at; almost all have nothing in them that must be escaped.
fn string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut plain = 0;
    let mut at = 0;
    while at < text.len() {
        if let Some(eight) = text.get(at..at + 8).and_then(|eight| <[u8; 8]>::try_from(eight).ok())
            && !has_special(u64::from_le_bytes(eight))
        {
            at += 8;
            continue;
        }
        let byte = text[at];
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            out.extend_from_slice(&text[plain..at]);
            escape(out, byte);
            plain = at + 1;
        }
        at += 1;
    }
    out.extend_from_slice(&text[plain..]);
    out.push(b'"');
}

/// Whether one of eight bytes is a control character, a quotation mark or a backslash.
fn has_special(eight: u64) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH != 0;
    let has_control = eight.wrapping_sub(ONES * 0x20) & !eight & HIGH != 0;
    has_control || has_zero(eight ^ (ONES * u64::from(b'"'))) || has_zero(eight ^ (ONES * u64::from(b'\\')))
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    // Writing to memory does not fail.
    let _ = match byte {
        b'"' => std::io::Write::write_all(out, b"\\\""),
        b'\\' => std::io::Write::write_all(out, b"\\\\"),
        b'\n' => std::io::Write::write_all(out, b"\\n"),
        other => std::io::Write::write_fmt(out, format_args!("\\u{other:04x}")),
    };
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Entry, hyphenated, string};
    use crate::id::RecipeId;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        string(&mut out, text.as_bytes());
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_string_is_read_as_it_was_wherever_its_special_characters_are() {
        let all: String = (0..0x180_u32).filter_map(char::from_u32).chain("é€😀\u{2028}".chars()).collect();
        for special in all.chars() {
            for before in 0..10 {
                let text = format!("{}{special}{}", "x".repeat(before), "y".repeat(9 - before));
                assert_eq!(serde_json::from_str::<String>(&written(&text)).expect("JSON"), text);
            }
        }
        assert_eq!(serde_json::from_str::<String>(&written(&all)).expect("JSON"), all);
    }

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
