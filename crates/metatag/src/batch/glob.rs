//! Patterns for paths, as shells have them: `*`, `?`, `[a-z]` within a name, `**` for any number of folders.

/// One level of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Level {
    /// `**`: any number of folders, none included.
    Any,
    /// A name, with or without wildcards.
    Name(Vec<char>),
}

/// What is below a folder and looks like this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    levels: Vec<Level>,
}

/// How far a walk through folders has come in a pattern: the levels that may match next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Position(Vec<usize>);

impl Pattern {
    /// The files in a folder.
    pub(super) fn files() -> Pattern {
        Pattern { levels: vec![Level::Name(vec!['*'])] }
    }

    /// The files in a folder and in all folders below it.
    pub(super) fn files_below() -> Pattern {
        Pattern { levels: vec![Level::Any, Level::Name(vec!['*'])] }
    }

    /// Splits a path with wildcards into the folder where they begin and the rest; nothing if there are none.
    pub(super) fn split(text: &str) -> Option<(String, Pattern)> {
        let has_wildcard = |level: &str| level.contains(['*', '?', '[']);
        let levels: Vec<&str> = text.split('/').filter(|level| !level.is_empty()).collect();
        let first = levels.iter().position(|level| has_wildcard(level))?;
        let (base, rest) = levels.split_at(first);
        let levels = rest.iter().map(|level| match *level {
            "**" => Level::Any,
            name => Level::Name(name.chars().collect()),
        });
        let root = if text.starts_with('/') { "/" } else { "" };
        Some((format!("{root}{}", base.join("/")), Pattern { levels: levels.collect() }))
    }

    pub(super) fn start(&self) -> Position {
        self.open([0].into())
    }

    /// Where the walk is after entering a folder; nothing if nothing below it can match.
    pub(super) fn enter(&self, position: &Position, folder: &str) -> Option<Position> {
        let mut next = Vec::new();
        for level in &position.0 {
            match self.levels.get(*level) {
                Some(Level::Any) if !folder.starts_with('.') => next.push(*level),
                Some(Level::Name(name)) if matches(name, folder) => next.push(level + 1),
                Some(Level::Any | Level::Name(_)) | None => {}
            }
        }
        Some(self.open(next)).filter(|position| !position.0.is_empty())
    }

    /// Whether a file here matches.
    pub(super) fn takes(&self, position: &Position, file: &str) -> bool {
        let last = self.levels.len() - 1;
        position.0.contains(&last)
            && match &self.levels[last] {
                Level::Any => !file.starts_with('.'),
                Level::Name(name) => matches(name, file),
            }
    }

    /// Adds the levels after each `**`, which may stand for no folder at all.
    fn open(&self, mut levels: Vec<usize>) -> Position {
        let mut at = 0;
        while let Some(level) = levels.get(at).copied() {
            let last = level + 1 == self.levels.len();
            if self.levels.get(level) == Some(&Level::Any) && !last && !levels.contains(&(level + 1)) {
                levels.push(level + 1);
            }
            at += 1;
        }
        levels.sort_unstable();
        levels.dedup();
        Position(levels)
    }
}

/// Whether a name matches. One that begins with a dot is hidden from wildcards.
fn matches(pattern: &[char], name: &str) -> bool {
    if name.starts_with('.') && pattern.first() != Some(&'.') {
        return false;
    }
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut seen) = (0, 0);
    // Where to go on when what follows the last star does not match: the star takes one more.
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
                continue;
            }
            Some('?') => {
                at += 1;
                seen += 1;
                continue;
            }
            Some('[') => {
                if let (true, length) = class(&pattern[at..], name[seen]) {
                    at += length;
                    seen += 1;
                    continue;
                }
            }
            Some(letter) if *letter == name[seen] => {
                at += 1;
                seen += 1;
                continue;
            }
            Some(_) | None => {}
        }
        let Some((star_at, star_seen)) = star else { return false };
        star = Some((star_at, star_seen + 1));
        at = star_at + 1;
        seen = star_seen + 1;
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

/// Whether a letter is in the class at the start of the pattern, and how long the class is. Without its end it is a `[`.
fn class(pattern: &[char], letter: char) -> (bool, usize) {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let first = if negated { 2 } else { 1 };
    // A bracket right at the start belongs to the class.
    let end = (first + 1..pattern.len()).find(|at| pattern[*at] == ']');
    let Some(end) = end else { return (letter == '[', 1) };
    let mut found = false;
    let mut at = first;
    while at < end {
        if at + 2 < end && pattern[at + 1] == '-' {
            found |= (pattern[at]..=pattern[at + 2]).contains(&letter);
            at += 3;
        } else {
            found |= pattern[at] == letter;
            at += 1;
        }
    }
    (found != negated, end + 1)
}

#[cfg(test)]
mod tests {
    use super::{Pattern, matches};

    #[test]
    fn names_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.jpg", "a.jpg", true),
            ("*.jpg", "a.jpeg", false),
            ("*.jpg", ".jpg", false),
            (".*", ".hidden", true),
            ("*", ".hidden", false),
            ("图?.png", "图片.png", true),
            ("IMG_[0-9][0-9].*", "IMG_07.HEIC", true),
            ("IMG_[!0-9].*", "IMG_7.HEIC", false),
            ("*.[jJ][pP]*[gG]", "a.JPEG", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("[]]", "]", true),
            ("[", "[", true),
            ("[ab", "[ab", true),
            ("**", "a", true),
            ("", "", true),
        ] {
            let letters: Vec<char> = pattern.chars().collect();
            assert_eq!(matches(&letters, name), expected, "{pattern} {name}");
        }
        // Nothing is timed, but without care this would take longer than anybody waits.
        assert!(!matches(&"*a".repeat(40).chars().collect::<Vec<_>>(), &"a".repeat(39)));
    }

    #[track_caller]
    fn check(pattern: &str, path: &str, expected: bool) {
        let (base, pattern) = Pattern::split(pattern).expect("wildcards");
        let rest = path.strip_prefix(base.trim_end_matches('/')).expect("below").trim_start_matches('/');
        let (folders, file) = rest.rsplit_once('/').unwrap_or(("", rest));
        let mut position = Some(pattern.start());
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            position = position.and_then(|position| pattern.enter(&position, folder));
        }
        let taken = position.is_some_and(|position| pattern.takes(&position, file));
        assert_eq!(taken, expected, "{path}");
    }

    #[test]
    fn two_stars_are_any_number_of_folders() {
        for (pattern, path, expected) in [
            ("/p/*.jpg", "/p/a.jpg", true),
            ("/p/*.jpg", "/p/q/a.jpg", false),
            ("/p/**/*.jpg", "/p/a.jpg", true),
            ("/p/**/*.jpg", "/p/q/r/a.jpg", true),
            ("/p/**/*.jpg", "/p/.q/a.jpg", false),
            ("/p/**/2024/*", "/p/2024/2024/a", true),
            ("/p/**/2024/*", "/p/2024/x/a", false),
            ("/p/**/x/**/a", "/p/x/x/a", true),
            ("/p/**/x/**/a", "/p/y/a", false),
            ("/p/**", "/p/q/a.jpg", true),
            ("/*/a", "/p/a", true),
        ] {
            check(pattern, path, expected);
        }
        assert_eq!(Pattern::split("/p/a.jpg"), None);
        assert_eq!(Pattern::split("/p//q/*").expect("wildcards").0, "/p/q");
    }
}
