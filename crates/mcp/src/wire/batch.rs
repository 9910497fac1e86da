//! A batch, read one message at a time: what it costs is its longest message, not their number.

use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::json::Elements;
use crate::version::Version;

use super::{Malformed, Message, message, plain};

/// How many messages there may be in a batch. Each is answered, and an answer is longer than what may have caused it.
const MAX_MESSAGES: usize = 1_000;

/// The messages of a batch that were not read yet.
pub(crate) struct Batch<'a> {
    rest: Elements<'a>,
}

impl<'a> Batch<'a> {
    /// Opens the array in `text`. Nothing of a batch is served unless all of it is JSON, so it is looked through first.
    pub(super) fn open(text: &'a str) -> Result<Batch<'a>, Malformed> {
        let Count(count) =
            serde_json::from_str(text).map_err(|error| Malformed::parse_error(b"", plain(&error)))?;
        if count == 0 {
            return Err(Malformed::invalid(None, "an empty batch"));
        }
        if count > MAX_MESSAGES {
            let reason = format!("a batch of {count} messages; send at most {MAX_MESSAGES} at once");
            return Err(Malformed::invalid(None, reason));
        }
        Ok(Batch { rest: Elements::of(text) })
    }

    /// What a batch is answered with where the revision has none.
    pub(crate) fn not_spoken() -> Malformed {
        Malformed::invalid(None, format!("batches are only spoken in {}", Version::V2025_03_26))
    }
}

impl<'a> Iterator for Batch<'a> {
    type Item = Result<Message<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rest.next().map(|value| message(value.get()))
    }
}

/// How many elements an array has.
struct Count(usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        struct Elements;

        impl<'de> Visitor<'de> for Elements {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Count, A::Error> {
                let mut count = 0;
                while elements.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Count(count))
            }
        }

        deserializer.deserialize_seq(Elements)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Message;
    use super::{Batch, MAX_MESSAGES};

    fn kinds(text: &str) -> Vec<String> {
        let batch = Batch::open(text).expect("a batch");
        batch
            .map(|message| match message {
                Ok(Message::Request(request)) => request.id.as_json().to_owned(),
                Ok(Message::Notification { method, .. }) => method.into_owned(),
                Ok(Message::Response { .. }) => "response".to_owned(),
                Err(bad) => bad.code.to_string(),
            })
            .collect()
    }

    #[test]
    fn every_element_is_read_once_and_in_order() {
        let text = r#"[ {"jsonrpc":"2.0","id":1,"method":"a"},7 ,"x",[[],[]], null
            ,{"jsonrpc":"2.0","method":"b"} , {"id":2,"result":{"a":[1,2]}} ]"#;
        assert_eq!(kinds(text), ["1", "-32600", "-32600", "-32600", "-32600", "b", "response"]);
    }

    #[test]
    fn a_batch_that_is_not_json_or_has_nothing_in_it_is_not_opened() {
        for (text, code) in
            [("[", -32700), ("[1,]", -32700), ("[1] 2", -32700), ("[1 2]", -32700), ("[ ]", -32600)]
        {
            assert_eq!(Batch::open(text).err().map(|bad| bad.code), Some(code), "{text}");
        }
    }

    #[test]
    fn a_batch_of_more_messages_than_may_be_held_is_not_opened() {
        let batch = |count: usize| format!("[{}]", vec!["7"; count].join(","));
        assert_eq!(kinds(&batch(MAX_MESSAGES)).len(), MAX_MESSAGES);
        let bad = Batch::open(&batch(MAX_MESSAGES + 1)).err().expect("refused");
        assert_eq!(bad.code, -32600);
        assert_eq!(bad.message, "Invalid request: a batch of 1001 messages; send at most 1000 at once");
    }
}
