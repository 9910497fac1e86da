//! What a person can set.

use std::ffi::OsString;
use std::sync::Arc;

use models::{EnvironmentKeys, KeySafe, Keys, SettingsError};

use crate::capture::{Excluded, Session};
use crate::store::Limits;

/// Whose screen, what of it nobody is to see, and what is kept.
#[derive(Clone)]
pub struct Config {
    /// The screen of this session.
    pub session: Session,
    /// Windows that are blacked out.
    pub excluded: Excluded,
    /// Whether the person hears of every capture.
    pub announcing: Announcing,
    /// Whether what is private is taken out of every picture before a model gets it.
    pub redact_before_sending: bool,
    /// How many screenshots are kept.
    pub limits: Limits,
    /// Where models are, or which variable says it wrongly; told when one is asked.
    pub models: Result<models::Settings, SettingsError>,
    /// Who has the keys of models.
    pub keys: Arc<dyn Keys>,
    /// Where the keys the person enters are kept, if anywhere.
    pub safe: Option<Arc<dyn KeySafe>>,
}

impl Default for Config {
    /// As if no variable were set.
    fn default() -> Config {
        Config::from_environment(|_| None)
    }
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
    /// From the variables of the environment: those that name the display, `FOTOS_CAPTURE` (who takes the pictures),
    /// `FOTOS_EXCLUDE` (titles and classes of windows, with commas), `FOTOS_NOTIFY=off`, `FOTOS_REDACT=always`, and those of `models`. Keys are
    /// another matter: nobody has one.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Config {
        let text = |name: &str| variable(name).and_then(|value| value.into_string().ok());
        let is_off =
            text("FOTOS_NOTIFY").is_some_and(|value| matches!(value.trim(), "off" | "0" | "false" | "no"));
        Config {
            session: Session::from_environment(&variable),
            excluded: text("FOTOS_EXCLUDE").map_or_else(Excluded::default, |list| Excluded::from_list(&list)),
            announcing: if is_off { Announcing::Off } else { Announcing::On },
            redact_before_sending: text("FOTOS_REDACT").is_some_and(|value| value.trim() == "always"),
            limits: Limits::default(),
            models: models::Settings::from_environment(text),
            keys: Arc::new(EnvironmentKeys(|_: &str| None)),
            safe: None,
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
