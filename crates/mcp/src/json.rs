//! Writing JSON straight into the outgoing buffer.

mod elements;
mod without;

use serde::Serialize;

pub(crate) use elements::Elements;
pub(crate) use without::without;

/// Texts from this length on get their room at once, rather than by copies as they grow.
const LONG: usize = 64 * 1024;

/// Appends a JSON string.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    if text.len() >= LONG {
        // JSON inside of JSON needs about a sixth more; room that is not needed is never touched.
        out.reserve(text.len() + text.len() / 4);
    }
    json_string::write(out, text.as_bytes());
}

/// Appends any value. What cannot be written as JSON (a map with keys that are no strings) becomes
/// `null`: the message around it must stay whole.
pub(crate) fn value(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// Appends bytes as a JSON string of base64, which needs no escaping.
pub(crate) fn base64(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    base64_simd::STANDARD.encode_append(bytes, out);
    out.push(b'"');
}

/// Appends JSON text from elsewhere, on one line: a message must not contain a newline.
pub(crate) fn relayed(out: &mut Vec<u8>, text: &[u8]) {
    if memchr::memchr2(b'\n', b'\r', text).is_none() {
        out.extend_from_slice(text);
    } else {
        // Outside strings newlines are white space, inside they cannot stand.
        out.extend(text.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
    }
}

/// Writes the members of an object, with the commas between them.
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> ObjectWriter<'a> {
    pub(crate) fn open(out: &'a mut Vec<u8>) -> ObjectWriter<'a> {
        out.push(b'{');
        ObjectWriter { out, empty: true }
    }

    /// Starts a member; the caller appends its value. `name` needs no escaping.
    pub(crate) fn member(&mut self, name: &str) -> &mut Vec<u8> {
        self.out.extend_from_slice(if self.empty { b"\"" } else { b",\"" });
        self.empty = false;
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    pub(crate) fn string(&mut self, name: &str, text: &str) -> &mut ObjectWriter<'a> {
        string(self.member(name), text);
        self
    }

    pub(crate) fn value(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> &mut ObjectWriter<'a> {
        self::value(self.member(name), value);
        self
    }

    pub(crate) fn raw(&mut self, name: &str, text: &[u8]) -> &mut ObjectWriter<'a> {
        relayed(self.member(name), text);
        self
    }

    /// Appends the text between the braces of another object.
    pub(crate) fn members(&mut self, text: &str) {
        if !text.is_empty() {
            if !self.empty {
                self.out.push(b',');
            }
            self.empty = false;
            relayed(self.out, text.as_bytes());
        }
    }

    pub(crate) fn close(self) {
        self.out.push(b'}');
    }
}

/// Writes `items` as an array, each by `write`.
pub(crate) fn array<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::ObjectWriter;

    #[test]
    fn members_are_separated_and_escaped() {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        object.string("a", "x\"\n").value("b", &[1, 2]).raw("c", b"{\n}");
        super::base64(object.member("d"), b"hi!");
        object.close();
        assert_eq!(String::from_utf8(out).expect("UTF-8"), r#"{"a":"x\"\n","b":[1,2],"c":{ },"d":"aGkh"}"#);
    }
}
