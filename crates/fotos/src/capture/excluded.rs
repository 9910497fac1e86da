//! Windows that nobody is to see: password managers, and what the person adds.

/// Programs that show secrets, by a part of their class or title. Our own window is one of them: agents see of it what the person
/// shares.
const SECRET_KEEPERS: &[&str] = &[
    "1password",
    "authy desktop",
    "bitwarden",
    "buttercup",
    "dashlane",
    "enpass",
    "fotos-desktop",
    "gnome-secrets",
    "keepass",
    "keeper password",
    "keyguard",
    "kwalletmanager",
    "lastpass",
    "nordpass",
    "org.gnome.secrets",
    "passky",
    "passwords and keys",
    "proton pass",
    "protonpass",
    "qtpass",
    "roboform",
    "seahorse",
];

/// Which windows are left out of every picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excluded {
    /// Parts of titles and classes, in lower case.
    parts: Vec<String>,
    /// How many of them the person added; they are the last.
    own: usize,
}

impl Default for Excluded {
    /// Password managers.
    fn default() -> Excluded {
        Excluded { parts: SECRET_KEEPERS.iter().map(|part| (*part).to_owned()).collect(), own: 0 }
    }
}

impl Excluded {
    /// From a list with commas: its parts in addition to the password managers, or `none` for nothing at all.
    pub fn from_list(list: &str) -> Excluded {
        if list.trim() == "none" {
            return Excluded { parts: Vec::new(), own: 0 };
        }
        let mut excluded = Excluded::default();
        excluded.add(list.split(','));
        excluded
    }

    /// Adds parts of titles and classes.
    pub fn add<'a>(&mut self, more: impl IntoIterator<Item = &'a str>) {
        let known = self.parts.len();
        let more = more.into_iter().map(|part| part.trim().to_lowercase());
        self.parts.extend(more.filter(|part| !part.is_empty()));
        self.own += self.parts.len() - known;
    }

    /// What the person added.
    pub fn chosen(&self) -> &[String] {
        self.parts.get(self.parts.len() - self.own..).unwrap_or_default()
    }

    /// Whether any window is left out.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether the person added windows to those that everybody leaves out.
    pub fn is_chosen(&self) -> bool {
        self.own > 0
    }

    /// Whether a window is left out, by its title or the class of its program.
    pub fn hides(&self, title: &str, class: &str) -> bool {
        if self.parts.is_empty() {
            return false;
        }
        let (title, class) = (title.to_lowercase(), class.to_lowercase());
        self.parts.iter().any(|part| title.contains(part) || class.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::Excluded;

    #[test]
    fn password_managers_are_hidden_by_title_or_class() {
        let excluded = Excluded::default();
        assert!(excluded.hides("Passwords.kdbx - KeePassXC", "") && excluded.hides("Vault", "Bitwarden"));
        assert!(!excluded.hides("Inbox", "thunderbird"));
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
