//! Which languages the networks know, and which network a language needs.

use crate::Languages;

/// What a reading must be able to spell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Script {
    /// Latin letters the tiny network knows.
    Latin,
    /// Latin letters only the small one knows.
    WideLatin,
    /// Kana and kanji beside Latin letters.
    Japanese,
}

/// A language the networks know.
struct Language {
    /// As Tesseract has it.
    code: &'static str,
    script: Script,
    /// Its small letters beyond `a` to `z`, and signs of its own.
    letters: &'static str,
}

/// By code. No network knows `¡`, which Spanish has too.
const LANGUAGES: &[Language] = &[
    Language { code: "afr", script: Script::Latin, letters: "áäéèêëíîïóôöúûüý" },
    Language { code: "cat", script: Script::Latin, letters: "àçèéíïòóúü·" },
    Language { code: "ces", script: Script::Latin, letters: "áčďéěíňóřšťúůýž" },
    Language { code: "dan", script: Script::Latin, letters: "æøåé" },
    Language { code: "deu", script: Script::Latin, letters: "äöüß" },
    Language { code: "eng", script: Script::Latin, letters: "" },
    Language { code: "epo", script: Script::Latin, letters: "ĉĝĥĵŝŭ" },
    Language { code: "est", script: Script::Latin, letters: "äõöüšž" },
    Language { code: "eus", script: Script::Latin, letters: "ñçü" },
    Language { code: "fin", script: Script::Latin, letters: "åäöšž" },
    Language { code: "fra", script: Script::Latin, letters: "àâæçéèêëîïôœùûüÿ«»" },
    Language { code: "gle", script: Script::Latin, letters: "áéíóú" },
    Language { code: "glg", script: Script::Latin, letters: "áéíïñóúüç" },
    Language { code: "hrv", script: Script::Latin, letters: "čćđšž" },
    Language { code: "hun", script: Script::Latin, letters: "áéíóöőúüű" },
    Language { code: "ind", script: Script::Latin, letters: "é" },
    Language { code: "isl", script: Script::Latin, letters: "áðéíóúýþæö" },
    Language { code: "ita", script: Script::Latin, letters: "àèéìíîòóùú" },
    Language { code: "jpn", script: Script::Japanese, letters: "" },
    Language { code: "lav", script: Script::Latin, letters: "āčēģīķļņšūž" },
    Language { code: "lit", script: Script::Latin, letters: "ąčęėįšųūž" },
    Language { code: "msa", script: Script::Latin, letters: "" },
    Language { code: "nld", script: Script::Latin, letters: "áéèëïíóöúü" },
    Language { code: "nor", script: Script::Latin, letters: "æøå" },
    Language { code: "pol", script: Script::Latin, letters: "ąćęłńóśźż" },
    Language { code: "por", script: Script::Latin, letters: "áâãàçéêíóôõúº" },
    Language { code: "ron", script: Script::WideLatin, letters: "ăâîșț" },
    Language { code: "slk", script: Script::Latin, letters: "áäčďéíĺľňóôŕšťúýž" },
    Language { code: "slv", script: Script::Latin, letters: "čšž" },
    Language { code: "spa", script: Script::Latin, letters: "áéíñóúü¿º«»" },
    Language { code: "swe", script: Script::Latin, letters: "åäö" },
    Language { code: "tur", script: Script::Latin, letters: "çğıöşüİ" },
];

/// Letters that differ in their accents only.
const FAMILIES: &[&str] = &[
    "áàâäãåāăą",
    "çćčĉ",
    "éèêëēėęě",
    "ğģĝ",
    "íìîïīį",
    "ĺľļ",
    "ñńňņ",
    "óòôöõőō",
    "śšşșŝ",
    "úùûüūůűųŭ",
    "ýÿ",
    "źżž",
];

/// The codes there are, in order.
pub(super) fn codes() -> Vec<String> {
    LANGUAGES.iter().map(|language| language.code.to_owned()).collect()
}

/// What the text of some languages is spelled with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spelling {
    pub(super) script: Script,
    letters: Vec<char>,
}

impl Spelling {
    /// For all of these languages together. The engine has checked that it knows them.
    pub(super) fn of(languages: &Languages) -> Self {
        let known = |code: &str| LANGUAGES.iter().find(|language| language.code == code);
        let mut spelling = Self { script: Script::Latin, letters: Vec::new() };
        for language in languages.codes().filter_map(known) {
            spelling.script = spelling.script.max(language.script);
            let small = language.letters.chars();
            spelling.letters.extend(small.flat_map(|letter| letter.to_uppercase().chain([letter])));
        }
        spelling
    }

    /// Whether the languages have a letter that differs from a foreign one in its accent only.
    pub(super) fn has_rival_of(&self, foreign: char) -> bool {
        let is_among =
            |family: &&&str, letter: char| letter.to_lowercase().all(|small| family.contains(small));
        let family = FAMILIES.iter().find(|family| is_among(family, foreign));
        family.is_some_and(|family| self.letters.iter().any(|letter| is_among(&family, *letter)))
    }

    /// Whether a character is to be expected: each of ASCII, and the letters of the languages.
    pub(super) fn expects(&self, character: char) -> bool {
        self.script == Script::Japanese || character.is_ascii() || self.letters.contains(&character)
    }
}

#[cfg(test)]
mod tests {
    use super::super::recogniser::{SMALL_JAPANESE, SMALL_LATIN, TINY_LATIN};
    use super::*;

    fn spelling(languages: &str) -> Spelling {
        Spelling::of(&languages.parse().unwrap())
    }

    #[test]
    fn a_language_is_only_listed_if_its_letters_can_be_spelled() {
        for language in LANGUAGES {
            let letters = spelling(language.code).letters.into_iter();
            for letter in letters.chain('!'..='~') {
                match language.script {
                    Script::Latin => assert!(
                        TINY_LATIN.has(letter) && SMALL_LATIN.has(letter),
                        "{letter} of {}",
                        language.code
                    ),
                    Script::WideLatin => assert!(SMALL_LATIN.has(letter), "{letter} of {}", language.code),
                    Script::Japanese => assert!(SMALL_JAPANESE.has(letter), "{letter} of {}", language.code),
                }
            }
        }
        assert!("あんアン一日本語設検索々ー。、「」".chars().all(|character| SMALL_JAPANESE.has(character)));
    }

    #[test]
    fn codes_are_in_order() {
        assert!(codes().is_sorted());
    }

    #[test]
    fn languages_together_have_the_widest_script_and_all_letters() {
        assert_eq!(spelling("eng+deu").script, Script::Latin);
        assert_eq!(spelling("eng+ron").script, Script::WideLatin);
        assert_eq!(spelling("jpn+eng").script, Script::Japanese);
        let both = spelling("deu+fra");
        assert!(['ä', 'Ü', 'ß', 'é', 'Ç', 'z', '/'].iter().all(|character| both.expects(*character)));
        assert!(!both.expects('ā') && !both.expects('×') && spelling("jpn").expects('×'));
        assert!(both.has_rival_of('ā') && both.has_rival_of('Ū') && !spelling("deu").has_rival_of('é'));
    }
}
