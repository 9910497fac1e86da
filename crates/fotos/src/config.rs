//! What a person can set.

use std::ffi::OsString;

use crate::capture::{Excluded, Session};
use crate::store::Limits;

/// Whose screen, what of it nobody is to see, and what is kept.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The screen of this session.
    pub session: Session,
    /// Windows that are blacked out.
    pub excluded: Excluded,
    /// Whether the person hears of every capture.
    pub announcing: Announcing,
    /// How many screenshots are kept.
    pub limits: Limits,
}

/// Whether a capture is announced on the desktop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Announcing {
    /// A notification appears.
    #[default]
    On,
    /// Nothing appears.
    Off,
}

impl Config {
    /// From the variables of the environment: those that name the display, `FOTOS_EXCLUDE` (titles and classes of windows,
    /// with commas) and `FOTOS_NOTIFY=off`.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Config {
        let text = |name: &str| variable(name).and_then(|value| value.into_string().ok());
        let is_off =
            text("FOTOS_NOTIFY").is_some_and(|value| matches!(value.trim(), "off" | "0" | "false" | "no"));
        Config {
            session: Session::from_environment(&variable),
            excluded: text("FOTOS_EXCLUDE").map_or_else(Excluded::default, |list| Excluded::from_list(&list)),
            announcing: if is_off { Announcing::Off } else { Announcing::On },
            limits: Limits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Announcing, Config};

    #[test]
    fn the_environment_says_what_is_hidden_and_announced() {
        let config = |variables: &[(&str, &str)]| {
            Config::from_environment(|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            })
        };
        let usual = config(&[]);
        assert!(usual.announcing == Announcing::On && usual.excluded.hides("KeePassXC", ""));
        let set = config(&[("FOTOS_NOTIFY", "off"), ("FOTOS_EXCLUDE", "Diary")]);
        assert!(set.announcing == Announcing::Off && set.excluded.hides("my diary", ""));
    }
}
