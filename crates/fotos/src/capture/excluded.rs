//! Windows that nobody is to see: password managers, and what the person adds.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Programs that show secrets, by a part of their class or title. Our own window is one of them: agents see of it what the person
/// shares.
const SECRET_KEEPERS: &[&str] = &[
    "1password",
    "authpass",
    "authy desktop",
    "bitwarden",
    "buttercup",
    "com.belmoussaoui.authenticator",
    "dashlane",
    "enpass",
    "enteauth",
    "fotos-desktop",
    "gnome-secrets",
    "io.ente.auth",
    "keepass",
    "keeper password",
    "keeweb",
    "keyguard",
    "kwalletmanager",
    "lastpass",
    "nordpass",
    "org.gnome.passwordsafe",
    "org.gnome.secrets",
    "org.gnome.world.secrets",
    "passky",
    "passwords and keys",
    "proton authenticator",
    "proton pass",
    "proton-pass",
    "protonpass",
    "pwsafe",
    "qtpass",
    "roboform",
    "seahorse",
];

/// Which windows are left out of every picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excluded {
    /// Parts of titles and classes, folded.
    parts: Vec<String>,
    /// Those the person added, as they were written.
    own: Vec<String>,
}

impl Default for Excluded {
    /// Password managers.
    fn default() -> Excluded {
        Excluded { parts: SECRET_KEEPERS.iter().map(|part| (*part).to_owned()).collect(), own: Vec::new() }
    }
}

impl Excluded {
    /// From a list with commas: its parts in addition to the password managers, or `none` for nothing at all.
    pub fn from_list(list: &str) -> Excluded {
        if list.trim() == "none" {
            return Excluded { parts: Vec::new(), own: Vec::new() };
        }
        let mut excluded = Excluded::default();
        excluded.add(list.split(','));
        excluded
    }

    /// Adds parts of titles and classes.
    pub fn add<'a>(&mut self, more: impl IntoIterator<Item = &'a str>) {
        for part in more {
            let folded = fold(part);
            if !folded.is_empty() {
                self.parts.push(folded);
                self.own.push(part.trim().to_owned());
            }
        }
    }

    /// What the person added.
    pub fn chosen(&self) -> &[String] {
        &self.own
    }

    /// Whether any window is left out.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a title has to be known in all its letters.
    #[cfg(target_os = "linux")]
    pub(super) fn is_foreign(&self) -> bool {
        self.own.iter().any(|part| !part.is_ascii())
    }

    /// Whether the person added windows to those that everybody leaves out.
    pub fn is_chosen(&self) -> bool {
        !self.own.is_empty()
    }

    /// Whether a window is left out, by its title or the class of its program.
    pub fn hides(&self, title: &str, class: &str) -> bool {
        if self.parts.is_empty() {
            return false;
        }
        let (title, class) = (fold(title), fold(class));
        self.parts.iter().any(|part| title.contains(part) || class.contains(part))
    }
}

/// A text without what makes no difference to a reader: case, accents and how they are written, width, the kind of spaces, and
/// characters that are not seen. Hiding a window too many does less harm than showing one.
fn fold(text: &str) -> String {
    let mut folded = String::new();
    // Capitals may decompose once more when they are small.
    let small = text.nfkd().flat_map(char::to_lowercase).nfkd();
    for letter in small.filter(|letter| !is_combining_mark(*letter) && !is_unseen(*letter)) {
        match letter {
            letter if letter.is_whitespace() || letter.is_control() => {
                if !folded.is_empty() && !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            'ß' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            'ı' => folded.push('i'),
            letter => folded.push(letter),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Hyphens that only show at the end of a line, joiners, marks of direction, variants.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::Excluded;

    #[test]
    fn password_managers_are_hidden_by_title_or_class() {
        let excluded = Excluded::default();
        assert!(excluded.hides("Passwords.kdbx - KeePassXC", "") && excluded.hides("Vault", "Bitwarden"));
        assert!(excluded.hides("Secrets", "org.gnome.World.Secrets") && excluded.hides("KeeWeb", ""));
        assert!(!excluded.hides("Inbox", "thunderbird"));
    }

    #[test]
    fn how_a_title_is_written_makes_no_difference() {
        let excluded = Excluded::from_list("Gru\u{308}ße an mich, DIARY, ΟΔΟΣ, ｶﾞ");
        for title in [
            "GRÜSSE AN MICH!",
            "grüße\u{a0} an\tmich",
            "ｄｉａｒｙ",
            "DİARY",
            "d\u{200d}i\u{ad}ary",
            "οδοσχ",
            "ガ",
        ] {
            assert!(excluded.hides(title, ""), "{title}");
        }
        assert!(!excluded.hides("Dairy", "") && !excluded.hides("Gruß", ""));
        assert!(
            Excluded::from_list("\u{200b}, \u{301}").chosen().is_empty(),
            "nothing would hide everything"
        );
    }

    #[test]
    fn the_person_adds_windows_or_takes_all_away() {
        let excluded = Excluded::from_list("Diary, Payroll,");
        assert!(excluded.hides("my diary", "") && excluded.hides("", "1Password"));
        assert!(!excluded.hides("Inbox", ""));
        assert!(Excluded::from_list("none").is_empty() && !Excluded::from_list("").is_empty());
        assert!(excluded.is_chosen() && !Excluded::from_list(" ,").is_chosen());
    }
}
