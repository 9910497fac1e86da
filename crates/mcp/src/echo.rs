//! As much of what a client sent as a message repeats: enough to recognise it, and never a megabyte.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::resource::Address;

/// How many characters of it.
const MOST: usize = 200;

/// The text, or its beginning.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

/// How many long texts of one call are looked for in a message, and how much of each.
const MOST_TEXTS: usize = 64;
const MOST_OF_EACH: usize = 4_000;

/// The long texts that came with a call, or their beginnings: what a handler says about them must not send them back.
#[derive(Default)]
pub(crate) struct Sent(Vec<Text>);

struct Text {
    start: String,
    /// How many bytes follow after the start.
    rest: usize,
}

impl Sent {
    pub(crate) fn in_arguments(arguments: Option<&RawValue>) -> Sent {
        let mut sent = Sent::default();
        if let Some(raw) = arguments.filter(|raw| raw.get().len() > MOST) {
            let mut deserializer = serde_json::Deserializer::from_str(raw.get());
            // What cannot be read is found out elsewhere.
            let _ = Texts(&mut sent).deserialize(&mut deserializer);
        }
        sent
    }

    /// What an address is made of, as it was written and as it is meant.
    pub(crate) fn in_address(address: &Address) -> Sent {
        let mut sent = Sent::default();
        address.texts().for_each(|text| sent.keep(text));
        sent
    }

    fn keep(&mut self, text: &str) {
        if self.0.len() < MOST_TEXTS && text.chars().nth(MOST).is_some() {
            let start: String = text.chars().take(MOST_OF_EACH).collect();
            self.0.push(Text { rest: text.len() - start.len(), start });
        }
    }

    /// Leaves the beginning of each in a message, as it was sent or as it is written between quotes.
    pub(crate) fn shorten_in(&self, message: &mut String) {
        for Text { start, rest } in &self.0 {
            shorten(message, start, *rest);
            let quoted = format!("{start:?}");
            let quoted = quoted.get(1..quoted.len() - 1).unwrap_or_default();
            if quoted != start {
                shorten(message, quoted, *rest);
            }
        }
    }
}

impl Sent {
    /// The same in the texts of details, at any depth; they are left as they are if nothing long was sent.
    pub(crate) fn shortened(&self, data: Box<RawValue>) -> Option<Box<RawValue>> {
        if self.0.is_empty() {
            return Some(data);
        }
        let mut value: Value = serde_json::from_str(data.get()).ok()?;
        self.shorten_inside(&mut value);
        to_raw_value(&value).ok()
    }

    fn shorten_inside(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.shorten_in(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.shorten_inside(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.shorten_inside(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Cuts every occurrence of `text` in `message` that goes on for long; `rest` is how much of it may follow.
fn shorten(message: &mut String, text: &str, rest: usize) {
    let Some((end, _)) = text.char_indices().nth(MOST) else { return };
    let head = text.get(..end).unwrap_or_default();
    let mut from = 0;
    while let Some(at) = message.get(from..).and_then(|rest| rest.find(head)) {
        let cut = from + at + end;
        let more: usize = match (message.get(cut..), text.get(end..)) {
            (Some(here), Some(there)) => {
                let same = here.chars().zip(there.chars()).take_while(|(a, b)| a == b);
                same.map(|(letter, _)| letter.len_utf8()).sum()
            }
            _ => 0,
        };
        let is_all = end + more == text.len();
        if is_all && rest > 0 {
            // The words after it stay where all of it was sent back; where they cannot be found, it ends here.
            let after = message.get(cut + more + rest..).unwrap_or_default().to_owned();
            message.truncate(cut);
            message.push('…');
            message.push_str(&after);
        } else if more > 0 {
            message.replace_range(cut..cut + more, "…");
        }
        from = cut;
    }
}

/// Reads any JSON, and keeps the long texts in it.
struct Texts<'a>(&'a mut Sent);

impl<'de> DeserializeSeed<'de> for Texts<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.keep(text);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Texts(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key_seed(Texts(self.0))?.is_some() {
            members.next_value_seed(Texts(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::{MOST, Sent, shown};

    #[test]
    fn a_message_keeps_the_beginning_of_what_was_sent() {
        let (long, odd) = ("long words ".repeat(1_000), "\"\n".repeat(1_000));
        let arguments = to_raw_value(&json!({ "a": [&long], &odd: 1, "short": "x" })).expect("JSON");
        let sent = Sent::in_arguments(Some(&arguments));
        for (echoed, kept) in [(long.clone(), &long), (format!("{odd:?}"), &format!("{odd:?}"))] {
            let mut message = format!("no such file: `{echoed}`; short");
            sent.shorten_in(&mut message);
            assert!(message.chars().count() < MOST + 30, "{message}");
            assert!(message.contains(&kept[..MOST]), "{message}");
        }
        let much = "much".repeat(10_000);
        let arguments = to_raw_value(&json!({ "a": &much })).expect("JSON");
        let mut message = format!("no such file: `{much}`; choose another");
        Sent::in_arguments(Some(&arguments)).shorten_in(&mut message);
        assert_eq!(message, format!("no such file: `{}…`; choose another", &much[..MOST]));
        // Cut by somebody else already, and twice.
        let part: String = long.chars().take(1_500).collect();
        let mut message = format!("`{part}…` is not `{part}…`");
        sent.shorten_in(&mut message);
        assert!(message.chars().count() < 2 * MOST + 30, "{message}");
        assert!(message.ends_with("……`"), "{message}");
    }

    #[test]
    fn only_what_is_long_is_cut_and_between_characters() {
        assert_eq!(shown(&"é".repeat(MOST)), "é".repeat(MOST));
        assert_eq!(shown(&"é".repeat(MOST + 1)), format!("{}…", "é".repeat(MOST)));
    }
}
