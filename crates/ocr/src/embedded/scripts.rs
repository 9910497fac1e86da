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

/// Codes as Tesseract has them, in order.
pub(super) const LANGUAGES: &[(&str, Script)] = &[
    ("afr", Script::Latin),
    ("cat", Script::Latin),
    ("ces", Script::Latin),
    ("dan", Script::Latin),
    ("deu", Script::Latin),
    ("eng", Script::Latin),
    ("epo", Script::Latin),
    ("est", Script::Latin),
    ("eus", Script::Latin),
    ("fin", Script::Latin),
    ("fra", Script::Latin),
    ("gle", Script::Latin),
    ("glg", Script::Latin),
    ("hrv", Script::Latin),
    ("hun", Script::Latin),
    ("ind", Script::Latin),
    ("isl", Script::Latin),
    ("ita", Script::Latin),
    ("jpn", Script::Japanese),
    ("lav", Script::Latin),
    ("lit", Script::Latin),
    ("msa", Script::Latin),
    ("nld", Script::Latin),
    ("nor", Script::Latin),
    ("pol", Script::Latin),
    ("por", Script::Latin),
    ("ron", Script::WideLatin),
    ("slk", Script::Latin),
    ("slv", Script::Latin),
    ("spa", Script::Latin),
    ("swe", Script::Latin),
    ("tur", Script::Latin),
];

impl Script {
    /// The script that spells all of these languages. The engine has checked that it knows them.
    pub(super) fn of(languages: &Languages) -> Self {
        languages
            .codes()
            .filter_map(|code| LANGUAGES.iter().find(|(known, _)| *known == code))
            .map(|(_, script)| *script)
            .max()
            .unwrap_or(Self::Latin)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ctc::Alphabet;
    use super::super::recogniser::{SMALL_JAPANESE, SMALL_LATIN, TINY_LATIN};
    use super::*;

    /// The letters of these languages beyond `a` to `z`. No network knows `¡`, which Spanish has too.
    const LETTERS: &[(&str, &str)] = &[
        ("cat", "àçèéíïòóúü·"),
        ("ces", "áčďéěíňóřšťúůýž"),
        ("deu", "äöüß€"),
        ("epo", "ĉĝĥĵŝŭ"),
        ("est", "äõöüšž"),
        ("fra", "àâæçéèêëîïôœùûüÿ«»’"),
        ("gle", "áéíóú"),
        ("hrv", "čćđšž"),
        ("hun", "áéíóöőúüű"),
        ("isl", "áðéíóúýþæö"),
        ("jpn", "あんアン一日本語設検索々ー。、「」"),
        ("lav", "āčēģīķļņšūž"),
        ("lit", "ąčęėįšųūž"),
        ("nor", "æøå"),
        ("pol", "ąćęłńóśźż"),
        ("por", "áâãàçéêíóôõú"),
        ("ron", "ăâîșț"),
        ("slk", "áäčďéíĺľňóôŕšťúýž"),
        ("slv", "čšž"),
        ("spa", "áéíñóúü¿"),
        ("swe", "åäö"),
        ("tur", "çğıöşüİ"),
    ];

    #[test]
    fn a_language_is_only_listed_if_its_letters_can_be_spelled() {
        for (code, letters) in LETTERS {
            let alphabets: &[&Alphabet] = match Script::of(&code.parse().unwrap()) {
                Script::Latin => &[&TINY_LATIN, &SMALL_LATIN],
                Script::WideLatin => &[&SMALL_LATIN],
                Script::Japanese => &[&SMALL_JAPANESE],
            };
            for letter in
                letters.chars().flat_map(|letter| letter.to_uppercase().chain([letter])).chain('!'..='~')
            {
                for alphabet in alphabets {
                    assert!(alphabet.has(letter), "{letter} of {code}");
                }
            }
        }
    }

    #[test]
    fn codes_are_in_order() {
        assert!(LANGUAGES.is_sorted_by_key(|(code, _)| *code));
    }

    #[test]
    fn the_widest_script_of_the_languages_decides() {
        let script = |text: &str| Script::of(&text.parse().unwrap());
        assert_eq!(script("eng+deu"), Script::Latin);
        assert_eq!(script("eng+ron"), Script::WideLatin);
        assert_eq!(script("jpn+eng"), Script::Japanese);
    }
}
