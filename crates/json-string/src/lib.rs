//! JSON strings, sixty-four bytes at a time: an answer may hold many megabytes of JSON as text, in which every dozen bytes
//! there is a quotation mark.

/// So many bytes are looked at together; their marks fit into a word.
const BLOCK: usize = 64;

/// What copies are made in; a copy may write this much too far.
const PIECE: usize = 16;

/// The most that a byte becomes: `\u0000`.
const LONGEST: usize = 6;

/// What a block becomes, at most.
type Room = [u8; BLOCK * LONGEST + PIECE];

/// Appends UTF-8 text as a JSON string.
pub fn write(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    escape(out, text);
    out.push(b'"');
}

/// Appends what stands for a part of a text within a JSON string.
pub fn escape(out: &mut Vec<u8>, text: &[u8]) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    if !blocks.is_empty() {
        let mut room: Room = [0; BLOCK * LONGEST + PIECE];
        for block in blocks {
            let filled = escape_block(block, &mut room);
            out.extend_from_slice(&room[..filled]);
        }
    }
    let mut plain = 0;
    for (at, byte) in rest.iter().enumerate().filter(|(_, byte)| is_special(**byte)) {
        let (bytes, length) = escaped(*byte);
        out.extend_from_slice(&rest[plain..at]);
        out.extend_from_slice(&bytes[..length]);
        plain = at + 1;
    }
    out.extend_from_slice(&rest[plain..]);
}

/// Writes a block, and says how long it became.
fn escape_block(block: &[u8; BLOCK], room: &mut Room) -> usize {
    let mut marks = specials(block);
    if marks == 0 {
        room[..BLOCK].copy_from_slice(block);
        return BLOCK;
    }
    let mut from = [0; BLOCK + PIECE];
    from[..BLOCK].copy_from_slice(block);
    let (mut at, mut filled) = (0, 0);
    while marks != 0 {
        let next = marks.trailing_zeros() as usize;
        marks &= marks - 1;
        copy(&from, at..next, room, filled);
        filled += next - at;
        let (bytes, length) = escaped(from[next]);
        room[filled..filled + bytes.len()].copy_from_slice(&bytes);
        filled += length;
        at = next + 1;
    }
    copy(&from, at..BLOCK, room, filled);
    filled + BLOCK - at
}

/// Copies in whole pieces, which is quicker than as much as is needed; what comes next writes over the rest.
fn copy(from: &[u8; BLOCK + PIECE], range: std::ops::Range<usize>, to: &mut Room, mut filled: usize) {
    for at in range.step_by(PIECE) {
        to[filled..filled + PIECE].copy_from_slice(&from[at..at + PIECE]);
        filled += PIECE;
    }
}

/// A mark for each byte that cannot stand in a string: control characters, quotation mark, backslash.
fn specials(block: &[u8; BLOCK]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const LOW: u64 = ONES * 0x7f;
    // Brings the highest bits of the bytes of a word together in its first byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (words, _) = block.as_chunks::<8>();
    words.iter().enumerate().fold(0, |marks, (number, word)| {
        let word = u64::from_le_bytes(*word);
        // The highest bit of each byte says whether it is another one; no sum goes over into the next byte.
        let is_not = |byte: u8| {
            let difference = word ^ (ONES * u64::from(byte));
            ((difference & LOW) + LOW) | difference
        };
        let is_no_control = ((word & LOW) + ONES * 0x60) | word;
        let special = !(is_not(b'"') & is_not(b'\\') & is_no_control) & !LOW;
        marks | (((special >> 7).wrapping_mul(GATHER) >> 56) << (8 * number))
    })
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// What stands for a byte, and how much of it counts.
fn escaped(byte: u8) -> ([u8; 8], usize) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = |letter| ([b'\\', letter, 0, 0, 0, 0, 0, 0], 2);
    match byte {
        b'"' | b'\\' => short(byte),
        0x08 => short(b'b'),
        b'\t' => short(b't'),
        b'\n' => short(b'n'),
        0x0c => short(b'f'),
        b'\r' => short(b'r'),
        _ => {
            let (high, low) = (DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]);
            ([b'\\', b'u', b'0', b'0', high, low, 0, 0], LONGEST)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::write;

    /// As the library has it, byte for byte.
    fn check(text: &str) {
        let mut out = b"before".to_vec();
        write(&mut out, text.as_bytes());
        let expected = format!("before{}", serde_json::to_string(text).expect("JSON"));
        assert_eq!(str::from_utf8(&out).expect("text"), expected, "{text:?}");
    }

    #[test]
    fn every_character_at_every_place() {
        let some = "é€😀\u{7f}\u{2028}\u{ffff}";
        for special in (0..0x180_u32).filter_map(char::from_u32).chain(some.chars()) {
            for before in [0, 1, 7, 8, 15, 16, 31, 62, 63, 64, 65, 127, 128] {
                check(&format!("{}{special}{}", "x".repeat(before), "y".repeat(130 - before)));
                check(&format!("{}{special}", "\"".repeat(before)));
            }
        }
    }

    #[test]
    fn blocks_of_nothing_but_special_characters() {
        for length in 0..200 {
            for text in ["\0", "\"", "\u{1f}", "\\n", "€", "a"] {
                check(&text.repeat(length));
            }
        }
    }

    #[test]
    fn text_at_random() {
        let letters = ['a', '"', 'b', '\\', 'ü', '\n', ' ', '\u{1}', '€', '\u{7f}', '😀', '{', ':'];
        let mut state = 7_u64;
        for length in 0..600 {
            let text: String = (0..length)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    letters[usize::try_from(state >> 33).expect("small") % letters.len()]
                })
                .collect();
            check(&text);
        }
    }
}
