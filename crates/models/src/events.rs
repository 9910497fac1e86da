//! Streams: server-sent events, and lines of JSON.

/// How a provider sends an answer bit by bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// A JSON object a line.
    Lines,
}

/// One piece of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its name, if it has one.
    pub(crate) name: String,
    /// What it says.
    pub(crate) data: String,
}

/// The most bytes one event may have; answers are text.
const MOST: usize = 4 << 20;

/// An event that is longer than any answer.
#[derive(Debug)]
pub(crate) struct TooLong;

/// Turns pieces of a body, cut anywhere, into events.
#[derive(Debug)]
pub(crate) struct Events {
    framing: Framing,
    rest: Vec<u8>,
    name: String,
    data: Option<String>,
}

impl Events {
    pub(crate) fn new(framing: Framing) -> Events {
        Events { framing, rest: Vec::new(), name: String::new(), data: None }
    }

    /// The events that are whole after this piece.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Result<Vec<Event>, TooLong> {
        self.rest.extend_from_slice(piece);
        let mut events = Vec::new();
        let mut from = 0;
        while let Some(length) = self.rest[from..].iter().position(|byte| *byte == b'\n') {
            let line =
                self.rest[from..from + length].strip_suffix(b"\r").unwrap_or(&self.rest[from..from + length]);
            let line = String::from_utf8_lossy(line).into_owned();
            from += length + 1;
            events.extend(self.line(&line));
        }
        self.rest.drain(..from);
        if self.rest.len() + self.data.as_ref().map_or(0, String::len) > MOST {
            return Err(TooLong);
        }
        Ok(events)
    }

    /// What is left when the body ends without a line break.
    pub(crate) fn finish(&mut self) -> Option<Event> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.rest)).into_owned();
        self.line(&line).or_else(|| self.line(""))
    }

    fn line(&mut self, line: &str) -> Option<Event> {
        if self.framing == Framing::Lines {
            let data = line.trim();
            return (!data.is_empty()).then(|| Event { name: String::new(), data: data.to_owned() });
        }
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            return self.data.take().map(|data| Event { name, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            // Comments, ids and what is to come.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Events, Framing};

    /// All events of a body, fed in pieces of every length.
    fn check(framing: Framing, body: &str, expected: &[(&str, &str)]) {
        for length in 1..=body.len() {
            let mut events = Events::new(framing);
            let mut all = Vec::new();
            for piece in body.as_bytes().chunks(length) {
                all.extend(events.feed(piece).expect("short"));
            }
            all.extend(events.finish());
            let expected: Vec<Event> = expected
                .iter()
                .map(|(name, data)| Event { name: (*name).to_owned(), data: (*data).to_owned() })
                .collect();
            assert_eq!(all, expected, "pieces of {length}");
        }
    }

    #[test]
    fn events_are_found_wherever_the_body_is_cut() {
        check(
            Framing::Events,
            ": hello\n\nevent: ping\r\ndata: {}\r\n\r\nid: 7\ndata: ä\ndata:two\n\ndata: [DONE]",
            &[("ping", "{}"), ("", "ä\ntwo"), ("", "[DONE]")],
        );
    }

    #[test]
    fn lines_are_found_wherever_the_body_is_cut() {
        check(Framing::Lines, "{\"a\":1}\r\n\n{\"b\":2}", &[("", "{\"a\":1}"), ("", "{\"b\":2}")]);
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_for_ever() {
        let mut events = Events::new(Framing::Lines);
        let piece = vec![b'x'; 1 << 20];
        assert!((0..5).any(|_| events.feed(&piece).is_err()));
    }
}
