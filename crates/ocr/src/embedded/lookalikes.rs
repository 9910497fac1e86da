//! Characters that look alike: what stands beside them tells which one it is.

use super::ctc::Glyph;

/// Kanji and the katakana of the same shape.
const SHAPES: &[(char, char)] =
    &[('力', 'カ'), ('口', 'ロ'), ('二', 'ニ'), ('工', 'エ'), ('夕', 'タ'), ('八', 'ハ')];
/// In `三カ月` and the like the katakana stands alone after a kanji.
const COUNTED: &str = "月国所年条村";

/// Puts right what the neighbours show to be wrong.
pub(super) fn settle(glyphs: &mut [Glyph]) {
    for at in 0..glyphs.len() {
        let beside = |offset: isize| {
            at.checked_add_signed(offset).and_then(|at| glyphs.get(at)).map(|glyph| glyph.value)
        };
        if let Some(value) = japanese(glyphs[at].value, beside(-1), beside(1)) {
            glyphs[at].value = value;
        }
    }
    let mut start = 0;
    while start < glyphs.len() {
        let length = glyphs[start..].iter().take_while(|glyph| glyph.value.is_ascii_alphanumeric()).count();
        if length >= SHORTEST {
            zero_in_word(&mut glyphs[start..start + length]);
        }
        start += length.max(1);
    }
}

/// A katakana of the shape of a kanji is that kanji if it would be a word of one katakana after a kanji, and the other
/// way round between katakana.
fn japanese(value: char, before: Option<char>, after: Option<char>) -> Option<char> {
    let is_katakana = |beside: Option<char>| beside.is_some_and(|beside| ('ァ'..='ー').contains(&beside));
    let is_kanji = |beside: Option<char>| beside.is_some_and(|beside| ('一'..='龯').contains(&beside));
    SHAPES.iter().find_map(|(kanji, katakana)| {
        let counts = after.is_some_and(|after| COUNTED.contains(after));
        if value == *katakana && is_kanji(before) && !is_katakana(after) && !counts {
            Some(*kanji)
        } else if value == *kanji && is_katakana(before) && is_katakana(after) {
            Some(*katakana)
        } else {
            None
        }
    })
}

/// Shorter ones, like `x0` and `0th`, are names of their own.
const SHORTEST: usize = 4;

/// The only digit of a word, a zero before a letter, is the letter O.
fn zero_in_word(word: &mut [Glyph]) {
    let mut digits = word.iter().enumerate().filter(|(_, glyph)| glyph.value.is_ascii_digit());
    let (Some((at, digit)), None) = (digits.next(), digits.next()) else { return };
    let after = word.get(at + 1).map(|glyph| glyph.value);
    let is_number = at == 0 && after.is_some_and(|after| "xXbBoO".contains(after));
    let before = at.checked_sub(1).and_then(|at| word.get(at)).map(|glyph| glyph.value);
    let (true, Some(after), false) = (digit.value == '0', after, is_number) else { return };
    let is_small = before.is_some_and(|before| before.is_ascii_lowercase()) && after.is_ascii_lowercase();
    word[at].value = if is_small { 'o' } else { 'O' };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: &str, expected: &str) {
        let mut glyphs: Vec<Glyph> =
            read.chars().map(|value| Glyph { value, centre: 0.0, probability: 1.0 }).collect();
        settle(&mut glyphs);
        assert_eq!(glyphs.iter().map(|glyph| glyph.value).collect::<String>(), expected);
    }

    #[test]
    fn kanji_and_katakana_of_one_shape_are_told_apart_by_their_neighbours() {
        check("入カしてください", "入力してください");
        check("出カ", "出力");
        check("ア力ウント", "アカウント");
        check("カメラ", "カメラ");
        check("三カ月", "三カ月");
        check("新カメラ", "新カメラ");
        check("力", "力");
        check("入口", "入口");
    }

    #[test]
    fn a_zero_in_a_word_is_a_letter() {
        check("0ption<T>", "Option<T>");
        check("cho0se", "choose");
        check("F0LDER", "FOLDER");
        for kept in ["0xdead", "0b1010", "x0", "level0", "a1b0c2", "100px", "b00t", "utf8"] {
            check(kept, kept);
        }
    }
}
