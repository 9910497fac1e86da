//! The character set of a packet. We write UTF-8 and read what there is.

use std::borrow::Cow;

use super::markup::malformed;
use super::{MOST_BYTES, XmpError};
use crate::bytes::ByteOrder;
use crate::text::{decode_mixed, utf16_units};

/// The packet as text. A borrowed text means that it is UTF-8 already, byte for byte.
pub(super) fn decode(packet: &[u8]) -> Result<Cow<'_, str>, XmpError> {
    match packet {
        _ if packet.len() > MOST_BYTES => Err(XmpError::TooMuch { limit: "16 MiB" }),
        [0, 0, 0xFE, 0xFF, ..] | [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0, b'<', ..] | [b'<', 0, 0, 0, ..] => {
            Err(malformed("it is in UTF-32"))
        }
        [0xFE, 0xFF, ..] | [0, b'<', ..] => utf16(packet, ByteOrder::Big),
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => utf16(packet, ByteOrder::Little),
        _ => Ok(match decode_mixed(packet) {
            Cow::Borrowed(text) => Cow::Borrowed(text),
            Cow::Owned(text) => Cow::Owned(declare_utf8(text)),
        }),
    }
}

fn utf16(packet: &[u8], order: ByteOrder) -> Result<Cow<'_, str>, XmpError> {
    let text: String = char::decode_utf16(utf16_units(packet, order))
        .collect::<Result<_, _>>()
        .map_err(|_| malformed("it is damaged UTF-16"))?;
    Ok(Cow::Owned(declare_utf8(text)))
}

/// Corrects the XML declaration, if there is one, after the character set has changed.
fn declare_utf8(text: String) -> String {
    let Some(start) = text.find("<?xml ") else { return text };
    let Some(length) = text[start..].find("?>") else { return text };
    let declaration = &text[start..start + length];
    let Some((before, after)) = declaration.split_once("encoding=") else { return text };
    let mut parts = after.splitn(3, ['"', '\'']);
    let (Some(""), Some(old)) = (parts.next(), parts.next()) else { return text };
    let from = start + before.len() + "encoding='".len();
    format!("{}UTF-8{}", &text[..from], &text[from + old.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_set_becomes_utf8() {
        let text = "<?xml version='1.0' encoding='UTF-16'?><a>家 é</a>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> =
            "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        let expected = text.replace("UTF-16", "UTF-8");
        assert_eq!(decode(&little).unwrap(), expected);
        assert_eq!(decode(&big).unwrap(), format!("\u{FEFF}{expected}"));
        assert_eq!(
            decode(b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xE9</a>").unwrap(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>é</a>"
        );
        assert!(matches!(decode("<a>家</a>".as_bytes()), Ok(Cow::Borrowed(_))));
        assert!(decode(b"<\0\0\0a").is_err());
        assert!(decode(&vec![b' '; MOST_BYTES]).is_ok());
        assert!(decode(&vec![b' '; MOST_BYTES + 1]).is_err());
        assert!(decode(b"<\0\x00\xD8").is_err());
    }
}
