//! The spellings in which a value may turn up.

use std::fmt;

use zeroize::{Zeroize as _, Zeroizing};

use super::SHORTEST;

/// How a value was spelled where it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// As it is.
    Raw,
    /// One line of a value that has several.
    Line,
    /// Backwards.
    Reversed,
    /// Base64, in either alphabet, anywhere inside encoded text.
    Base64,
    /// Two hexadecimal digits a byte.
    Hex,
    /// As in a URL or a form.
    Url,
    /// As in a JSON string, once or twice.
    Json,
    /// As in HTML.
    Html,
    /// Two bytes a character.
    Utf16,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Raw => "as it is",
            Encoding::Line => "a line of it",
            Encoding::Reversed => "reversed",
            Encoding::Base64 => "base64",
            Encoding::Hex => "hexadecimal",
            Encoding::Url => "URL-escaped",
            Encoding::Json => "JSON-escaped",
            Encoding::Html => "HTML-escaped",
            Encoding::Utf16 => "UTF-16",
        })
    }
}

/// One spelling.
pub(crate) type Form = (Encoding, Zeroizing<Vec<u8>>);

/// Every spelling of a value that has at least [`SHORTEST`] bytes, and of those of its lines that are wanted.
pub(crate) fn forms(value: &[u8], wanted: impl Fn(&[u8]) -> bool) -> Vec<Form> {
    let mut forms = Vec::with_capacity(48);
    spell(value, Encoding::Raw, &mut forms);
    // What a shell or an editor adds at the end is not part of the value, and is often missing where it turns up.
    let trimmed = value.trim_ascii();
    if trimmed.len() != value.len() {
        spell(trimmed, Encoding::Raw, &mut forms);
    }
    let lines: Vec<&[u8]> =
        trimmed.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii).collect();
    if lines.len() > 1 {
        // The frame of a PEM file is the same in every one, and no secret.
        for line in lines.into_iter().filter(|line| !line.starts_with(b"-----") && wanted(line)) {
            spell(line, Encoding::Line, &mut forms);
        }
    }
    forms.retain(|(_, form)| form.len() >= SHORTEST);
    forms
}

fn spell(value: &[u8], plain: Encoding, forms: &mut Vec<Form>) {
    if value.len() < SHORTEST {
        return;
    }
    let mut add = |encoding: Encoding, bytes: Vec<u8>| forms.push((encoding, Zeroizing::new(bytes)));
    add(plain, value.to_vec());
    add(Encoding::Reversed, value.iter().rev().copied().collect());
    for digits in [b"0123456789abcdef", b"0123456789ABCDEF"] {
        add(Encoding::Hex, hex(value, digits));
    }
    for form in base64(value) {
        add(Encoding::Base64, form);
    }
    for form in escaped_for_urls(value) {
        add(Encoding::Url, form);
    }
    if let Ok(text) = std::str::from_utf8(value) {
        add(Encoding::Reversed, text.chars().rev().collect::<String>().into_bytes());
        for form in escaped_for_json(text) {
            add(Encoding::Json, form);
        }
        for apostrophe in ["&#39;", "&#x27;", "'"] {
            add(Encoding::Html, escaped_for_html(text, apostrophe));
        }
        add(Encoding::Utf16, text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        add(Encoding::Utf16, text.encode_utf16().flat_map(u16::to_be_bytes).collect());
    }
}

fn hex(value: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    value.iter().flat_map(|byte| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]).collect()
}

/// Base64 of the value standing behind none, one or two bytes of something else (modulo three), in both alphabets: the
/// characters that depend on the value alone; and, where the text ends with the value, the last one and the padding.
fn base64(value: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = Vec::with_capacity(18);
    for before in 0..3_usize {
        let mut shifted = vec![0; before];
        shifted.extend_from_slice(value);
        for alphabet in [base64_simd::STANDARD, base64_simd::URL_SAFE] {
            let mut encoded: Vec<u8> = alphabet.encode_to_string(&shifted).into_bytes();
            // Whole characters of six bits: from the first that has nothing of what stands before …
            let first = (before * 8).div_ceil(6);
            // … to the last that has nothing of what may follow.
            let last = shifted.len() * 8 / 6;
            let unpadded = (shifted.len() * 8).div_ceil(6);
            for end in [last, unpadded, encoded.len()] {
                forms.push(encoded[first..end].to_vec());
            }
            encoded.zeroize();
        }
        shifted.zeroize();
    }
    forms
}

/// What the usual libraries make of it: they differ in what they leave alone, in the case of digits, and in the space.
fn escaped_for_urls(value: &[u8]) -> Vec<Vec<u8>> {
    const KEPT: [&[u8]; 4] = [b"-._~", b"-._~/", b"-_.!~*'()", b"*-._"];
    let mut forms = Vec::with_capacity(16);
    for digits in [b"0123456789ABCDEF", b"0123456789abcdef"] {
        for kept in KEPT {
            for space in [&b"%20"[..], b"+"] {
                let mut form = Vec::with_capacity(value.len() * 3);
                for &byte in value {
                    match byte {
                        b' ' => form.extend_from_slice(space),
                        byte if byte.is_ascii_alphanumeric() || kept.contains(&byte) => form.push(byte),
                        byte => form.extend_from_slice(&[
                            b'%',
                            digits[usize::from(byte >> 4)],
                            digits[usize::from(byte & 15)],
                        ]),
                    }
                }
                forms.push(form);
            }
        }
    }
    forms
}

/// With what must be escaped, with slashes and everything that is not ASCII as well, and each of them once more.
fn escaped_for_json(text: &str) -> Vec<Vec<u8>> {
    let once = |text: &str, wide: bool, slash: bool| {
        let mut form = String::with_capacity(text.len() * 2);
        for character in text.chars() {
            match character {
                '"' => form.push_str("\\\""),
                '\\' => form.push_str("\\\\"),
                '\n' => form.push_str("\\n"),
                '\r' => form.push_str("\\r"),
                '\t' => form.push_str("\\t"),
                '\u{8}' => form.push_str("\\b"),
                '\u{c}' => form.push_str("\\f"),
                '/' if slash => form.push_str("\\/"),
                plain if (' '..='~').contains(&plain) || (!wide && plain > '~') => form.push(plain),
                other => {
                    for unit in other.encode_utf16(&mut [0; 2]) {
                        form.push_str("\\u");
                        form.extend(
                            unit.to_be_bytes()
                                .map(|byte| hex(&[byte], b"0123456789abcdef"))
                                .concat()
                                .into_iter()
                                .map(char::from),
                        );
                    }
                }
            }
        }
        form
    };
    let mut forms = Vec::with_capacity(6);
    for (wide, slash) in [(false, false), (true, false), (false, true)] {
        let form = once(text, wide, slash);
        forms.push(once(&form, wide, slash).into_bytes());
        forms.push(form.into_bytes());
    }
    forms
}

fn escaped_for_html(text: &str, apostrophe: &str) -> Vec<u8> {
    let mut form = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        match character {
            '&' => form.push_str("&amp;"),
            '<' => form.push_str("&lt;"),
            '>' => form.push_str("&gt;"),
            '"' => form.push_str("&quot;"),
            '\'' => form.push_str(apostrophe),
            other => form.push(other),
        }
    }
    form.into_bytes()
}
