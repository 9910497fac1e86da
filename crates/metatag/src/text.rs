//! Text as the stores hold it: character sets, which characters are possible, and when two texts count as the same.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::bytes::ByteOrder;

/// Whether XML can hold every character of the text. What it cannot hold, no store gets.
pub(crate) fn is_legal(text: &str) -> bool {
    text.chars().all(is_legal_character)
}

fn is_legal_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}')
}

/// The text without what XML cannot hold. Older stores may have such characters, which must not spread.
pub(crate) fn legal(text: &str) -> Cow<'_, str> {
    if is_legal(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().filter(|c| is_legal_character(*c)).collect())
    }
}

/// Whether there is nothing to read in the text. Cameras fill fields with spaces and zeros.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\0')
}

/// Of a text that is composed for comparing, in bytes: that takes long, and nobody types so much twice.
const LONGEST_COMPOSED: usize = 1 << 16;

/// What two texts share that count as the same: composed and without the space around. Never stored.
pub(crate) fn key(text: &str) -> String {
    let text = legal(text);
    let text = text.trim();
    if text.is_ascii() || text.len() > LONGEST_COMPOSED { text.to_owned() } else { text.nfc().collect() }
}

/// Windows-1252 from 0x80 to 0x9F, where it differs from Latin-1; the five holes are Latin-1's control characters.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9F => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// A text without a charset marker: UTF-8 if it can be that, else Windows-1252.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(windows_1252).collect()),
    }
}

/// A text that should be UTF-8, with each byte that is not taken for Windows-1252. So one Latin-1 name in a packet does
/// not spoil the rest of it.
pub(crate) fn decode_mixed(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().copied().map(windows_1252));
    }
    Cow::Owned(text)
}

/// The units of a UTF-16 text; a last odd byte is left out.
pub(crate) fn utf16_units(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = u16> {
    bytes.as_chunks::<2>().0.iter().map(move |unit| match order {
        ByteOrder::Little => u16::from_le_bytes(*unit),
        ByteOrder::Big => u16::from_be_bytes(*unit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_not_legal_but_line_ends_are() {
        assert!(is_legal("a\tb\r\nc 家庭 😀 \u{7F}"));
        for bad in ["\0", "\u{1B}", "a\u{8}", "\u{FFFE}", "x\u{FFFF}"] {
            assert!(!is_legal(bad), "{bad:?}");
        }
    }

    #[test]
    fn composed_and_decomposed_names_are_the_same_but_cases_are_not() {
        assert_eq!(key(" Jose\u{301} "), key("José"));
        assert_ne!(key("José"), key("josé"));
    }

    #[test]
    fn texts_without_a_marker() {
        assert_eq!(decode("家庭".as_bytes()), "家庭");
        assert_eq!(decode(b"caf\xE9 \x80"), "café €");
        assert_eq!(decode_mixed(b"\xE5\xAE\xB6 caf\xE9"), "家 café");
    }
}
