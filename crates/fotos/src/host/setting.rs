//! Settings and API keys.

use std::sync::{Arc, Mutex, PoisonError};

use models::{Key, KeyError, Models, Part, Provider, Request};
use serde::Serialize;
use tokio::sync::watch;

use super::Host;
use crate::activity::Pause;
use crate::error::Error;
use crate::events::Event;
use crate::settings::{Keep, Problem, Settings, SettingsFile};

/// The settings, who watches them, and the file they are kept in.
#[derive(Default)]
pub(super) struct Keeper {
    now: watch::Sender<Arc<Settings>>,
    /// Held while they change: what is on the disk last is what everybody has.
    changing: Mutex<()>,
    file: Option<SettingsFile>,
}

impl Keeper {
    pub(super) fn of(file: SettingsFile) -> Keeper {
        Keeper {
            now: watch::Sender::new(Arc::new(file.settings())),
            changing: Mutex::default(),
            file: Some(file),
        }
    }

    /// Whether what the person wants nobody to see could not be read.
    pub(super) fn privacy_is_unknown(&self) -> bool {
        self.file.as_ref().is_some_and(SettingsFile::privacy_is_unknown)
    }

    /// Whether the next run has what is set in this one.
    pub(super) fn is_kept(&self) -> bool {
        self.file.is_some()
    }

    /// Without a file, the environment says what is set.
    pub(super) fn begin(&self, models: Option<&models::Settings>, redact_before_sending: bool) {
        if self.file.is_none() {
            let mut settings = models.map_or_else(Settings::default, Settings::with_models);
            settings.ai.redact_before_sending = redact_before_sending;
            self.now.send_replace(Arc::new(settings));
        }
    }
}

/// What is said about a key.
#[derive(Debug, Clone, Serialize)]
pub struct KeyInfo {
    /// Whose.
    pub provider: &'static str,
    /// What people call them.
    pub name: &'static str,
    /// Whether calls need one.
    pub needed: bool,
    /// Whether there is one.
    pub present: bool,
    /// Its last four characters.
    pub last_four: Option<String>,
    /// Whether it is kept where the person's keys are, and so can be deleted here.
    pub kept: bool,
    /// Why that is not known.
    pub trouble: Option<String>,
}

impl Host {
    /// The settings.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.now.borrow())
    }

    /// The settings, and a sign whenever they change.
    pub fn watch_settings(&self) -> watch::Receiver<Arc<Settings>> {
        self.settings.now.subscribe()
    }

    /// What was wrong with the file of the settings when it was read.
    pub fn settings_problems(&self) -> Vec<Problem> {
        self.settings.file.as_ref().map(SettingsFile::problems).unwrap_or_default()
    }

    /// Changes some settings: a JSON merge patch, in which `null` is the default. All of it is done, or nothing. Only the
    /// application has settings to change.
    pub fn patch_settings(&self, patch: &str) -> Result<Arc<Settings>, Error> {
        let Some(file) = &self.settings.file else { return Err(Error::NoSettings) };
        let changing = self.settings.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.activity.pause() == Some(Pause::Settings) {
            // The file can be read again from here on, and the next start must not take that for leave.
            file.patch(r#"{"agents":{"paused":true}}"#)?;
        }
        let settings = Arc::new(file.patch(patch)?);
        let before = self.settings.now.send_replace(Arc::clone(&settings));
        self.follow_pause(&before, &settings);
        self.use_settings();
        drop(changing);
        self.sweep_history();
        if before.history.keep == Keep::Off && settings.history.keep != Keep::Off {
            self.remember_all();
        }
        self.events.tell(&Event::Settings);
        Ok(settings)
    }

    /// Pauses agents as the settings say, or lets them go on.
    fn follow_pause(&self, before: &Settings, now: &Settings) {
        match (now.agents.paused, self.activity.is_paused()) {
            (true, false) => self.activity.set_pause(Some(Pause::Person)),
            (false, true) if before.agents.paused => self.activity.set_pause(None),
            _ => return,
        }
        self.events.tell(&Event::Agents);
    }

    /// Asks the models that the settings name from now on.
    pub(super) fn use_settings(&self) {
        if self.settings.file.is_none() {
            return;
        }
        let Ok(given) = &self.given else { return };
        let mut wanted = given.clone();
        for endpoint in &self.settings().ai.endpoints {
            let Ok(provider) = endpoint.id.parse::<Provider>() else { continue };
            let known = given.endpoint(provider);
            // What was there already is no choice of the person's: it must stay on public addresses.
            if let Ok(address) = endpoint.base_url.parse()
                && known.is_none_or(|known| known.base != address)
            {
                wanted = wanted.place(provider, address);
            }
            if !endpoint.model.trim().is_empty() {
                wanted = wanted.with_model(provider, endpoint.model.trim().to_owned());
            }
        }
        let models = Models::new(wanted, Arc::clone(&self.keys));
        *self.models.lock().unwrap_or_else(PoisonError::into_inner) = Ok(models);
    }

    /// What there is of keys. May wait for a vault or a keychain.
    pub fn keys(&self) -> Vec<KeyInfo> {
        Provider::ALL.into_iter().map(|provider| self.key_info(provider)).collect()
    }

    fn key_info(&self, provider: Provider) -> KeyInfo {
        let kept = self.safe.as_ref().map(|safe| safe.key(provider));
        let is_kept = matches!(kept, Some(Ok(Some(_))));
        let found = match kept {
            Some(Ok(Some(key))) => Ok(Some(key)),
            _ => self.keys.key(provider),
        };
        let (key, trouble) = match found {
            Ok(key) => (key, None),
            Err(error) => (None, Some(error.to_string())),
        };
        KeyInfo {
            provider: provider.id(),
            name: provider.name(),
            needed: provider.needs_key(),
            present: key.is_some(),
            last_four: key.as_ref().and_then(Key::last_four),
            kept: is_kept,
            trouble,
        }
    }

    /// Keeps a key. May wait for a vault or a keychain.
    pub fn save_key(&self, provider: Provider, key: &Key) -> Result<KeyInfo, Error> {
        self.safe_of(provider)?.save(provider, key)?;
        self.events.tell(&Event::Settings);
        Ok(self.key_info(provider))
    }

    /// Forgets a key that was kept here; false if there was none.
    pub fn delete_key(&self, provider: Provider) -> Result<bool, Error> {
        let deleted = self.safe_of(provider)?.delete(provider)?;
        self.events.tell(&Event::Settings);
        Ok(deleted)
    }

    fn safe_of(&self, provider: Provider) -> Result<&dyn models::KeySafe, KeyError> {
        self.safe.as_deref().ok_or_else(|| KeyError {
            provider,
            store: "a vault or a keychain".to_owned(),
            reason:
                "there is none here; make a vault with `authy init`, or log in to a desktop with a keychain"
                    .to_owned(),
        })
    }

    /// Asks a provider for one word, to see whether its key and address work.
    pub async fn test_key(&self, provider: Provider) -> Result<String, Error> {
        let models = self.models()?;
        let request = Request {
            parts: vec![Part::Text("Answer with the word `yes`.".to_owned())],
            ..Request::default()
        };
        Ok(models.open(provider).await?.ask(&request, None).await?.model)
    }
}
