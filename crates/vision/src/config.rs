//! What a person can set.

use std::ffi::OsString;
use std::sync::Arc;

use fetch::{Resolver, SystemResolver};
use files::{Allowed, Roots};
use models::{Choice, EnvironmentKeys, Keys, KeysInOrder, Settings, SettingsError};

use crate::pdf::PageDrawer;

/// What a person can set.
#[derive(Clone)]
pub struct Config {
    /// Where files may be, for the process that started us.
    pub local: Roots,
    /// Where files may be, for clients that connect over HTTP.
    pub remote: Roots,
    /// Where providers are, and which models.
    pub settings: Result<Settings, SettingsError>,
    /// Who has the keys.
    pub keys: Arc<dyn Keys>,
    /// Whether what is private is taken out of every picture before a model gets it.
    pub redact: bool,
    /// Who looks if a call does not say.
    pub provider: Result<DefaultProvider, SettingsError>,
    /// Hosts that pictures may come from although their address is not public.
    pub allowed_hosts: Vec<String>,
    /// Who finds the addresses of hosts that pictures come from.
    pub resolver: Arc<dyn Resolver>,
    /// Who draws pages of PDF files; without one, they are refused.
    pub pages: Option<PageDrawer>,
    /// Where programs are, as `PATH` has it: `ffmpeg` takes frames out of videos.
    pub programs: Option<OsString>,
}

/// Who looks if a call does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DefaultProvider {
    /// z.ai if it has a key, else nobody: the picture is read locally.
    #[default]
    ZaiOrLocal,
    /// This one.
    Chosen(Choice),
}

impl Default for Config {
    /// No files, no keys: what there is without any setting.
    fn default() -> Config {
        Config::from_environment(|_| None)
    }
}

impl Config {
    /// From the variables of the environment. Which folders may be used is as [`Allowed`] has it. `VISION_PROVIDER` says
    /// who looks, `VISION_ALLOW_HOSTS` which hosts may have private addresses, `VISION_REDACT=always` that no model sees
    /// what is private. Keys and models are as `models` has them.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<OsString> + Clone + Send + Sync + 'static,
    ) -> Config {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let Allowed { local, remote } = Allowed::from_environment(&variable);
        let programs = set("PATH");
        let text = move |name: &str| variable(name).and_then(|value| value.into_string().ok());
        let hosts = text("VISION_ALLOW_HOSTS").unwrap_or_default();
        Config {
            local,
            remote,
            settings: Settings::from_environment(&text),
            redact: text("VISION_REDACT").is_some_and(|value| value.trim() == "always"),
            provider: default_provider(text("VISION_PROVIDER")),
            allowed_hosts: hosts
                .split(',')
                .map(str::trim)
                .filter(|host| !host.is_empty())
                .map(str::to_owned)
                .collect(),
            resolver: Arc::new(SystemResolver),
            pages: None,
            programs,
            keys: Arc::new(EnvironmentKeys(text)),
        }
    }

    /// Asks these stores of keys when the environment has none.
    pub fn with_keys(mut self, more: impl IntoIterator<Item = Arc<dyn Keys>>) -> Config {
        let all = std::iter::once(Arc::clone(&self.keys)).chain(more).collect();
        self.keys = Arc::new(KeysInOrder(all));
        self
    }
}

fn default_provider(set: Option<String>) -> Result<DefaultProvider, SettingsError> {
    let Some(value) = set.filter(|value| !value.trim().is_empty()) else {
        return Ok(DefaultProvider::default());
    };
    let unknown = |_| SettingsError {
        name: "VISION_PROVIDER".to_owned(),
        reason: "neither `local` nor a provider (zai, openai, claude, gemini, ollama, compatible)",
        value: value.clone(),
    };
    value.parse().map(DefaultProvider::Chosen).map_err(unknown)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use files::Roots;
    use models::{Choice, Provider};

    use super::{Config, DefaultProvider};

    fn config(variables: &'static [(&str, &str)]) -> Config {
        Config::from_environment(move |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_home_folder_is_for_the_process_that_started_us_alone() {
        let found = config(&[("HOME", "/home/ada")]);
        assert_eq!((found.local, found.remote), (Roots::new(["/home/ada".into()]), Roots::none()));
        let named = config(&[("HOME", "/home/ada"), ("DESKMATE_ROOTS", "/pictures")]);
        assert_eq!((named.local, named.remote.clone()), (named.remote, Roots::new(["/pictures".into()])));
    }

    #[test]
    fn who_looks_can_be_set() {
        assert_eq!(config(&[]).provider, Ok(DefaultProvider::ZaiOrLocal));
        assert_eq!(
            config(&[("VISION_PROVIDER", "local")]).provider,
            Ok(DefaultProvider::Chosen(Choice::Local))
        );
        let gemini = Ok(DefaultProvider::Chosen(Choice::Model(Provider::Gemini)));
        assert_eq!(config(&[("VISION_PROVIDER", "gemini")]).provider, gemini);
        let wrong = config(&[("VISION_PROVIDER", "moon")]).provider.expect_err("nobody");
        assert!(wrong.to_string().contains("VISION_PROVIDER"), "{wrong}");
        let hosts = config(&[("VISION_ALLOW_HOSTS", "nas.home, 10.0.0.7 ,")]).allowed_hosts;
        assert_eq!(hosts, ["nas.home", "10.0.0.7"]);
    }
}
