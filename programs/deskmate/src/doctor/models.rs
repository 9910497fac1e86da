//! The keys of model providers: whether there are any, never what they are.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::models::{Choice, EnvironmentKeys, Keys, Provider};
use keys::VaultKeys;
use vision::{Config, DefaultProvider};

use super::check::Check;
use super::vault::is_open_to_others;

const ADD: &str = "set a key such as `ANTHROPIC_API_KEY` where the app starts, or keep it in the vault: \
                   `authy store anthropic-api-key`";

/// Names in the vault are looked at this often and no more: each look is an entry in its log, and the dashboard asks all day.
const FRESH: Duration = Duration::from_secs(600);

pub(super) fn look() -> Vec<Check> {
    let config = Config::from_environment(super::set);
    if let Err(error) = &config.settings {
        return vec![
            Check::problem_of("model keys", &error.to_string(), "correct the variable")
                .stops(&[vision::NAME]),
        ];
    }
    let default = match config.provider {
        Ok(default) => default,
        Err(error) => {
            let fix = "correct `VISION_PROVIDER`, or unset it";
            return vec![Check::problem_of("model keys", &error.to_string(), fix).stops(&[vision::NAME])];
        }
    };
    let environment =
        EnvironmentKeys(|name: &str| super::set(name).and_then(|value| value.into_string().ok()));
    let is_set = |provider: &Provider| matches!(environment.key(*provider), Ok(Some(_)));
    let vault = in_vault();
    let wanted = match default {
        DefaultProvider::Chosen(Choice::Model(provider)) if provider.needs_key() => Some(provider),
        DefaultProvider::Chosen(_) | DefaultProvider::ZaiOrLocal => None,
    };
    if let Some(provider) = wanted
        && !is_set(&provider)
        && !vault.may_have(provider)
    {
        let place = if matches!(vault, Vault::Shut) { SHUT } else { "nor in the vault" };
        let found =
            format!("`VISION_PROVIDER` is {}, whose key is not in the environment {place}", provider.name());
        let fix = format!("set `{}`", provider.key_variables().join("` or `"));
        return vec![Check::problem("model keys", found, fix)];
    }
    let set: Vec<Provider> = Provider::ALL.into_iter().filter(is_set).collect();
    vec![row(&set, &vault)]
}

fn row(set: &[Provider], vault: &Vault) -> Check {
    let names = |providers: &[Provider]| {
        providers.iter().map(|provider| provider.name()).collect::<Vec<_>>().join(", ")
    };
    let mut found = Vec::new();
    if !set.is_empty() {
        found.push(format!("in the environment, for {}", names(set)));
    }
    match vault {
        Vault::Has(kept) if !kept.is_empty() => found.push(format!("in the vault, for {}", names(kept))),
        Vault::Has(_) | Vault::Shut => {}
        Vault::Hidden => found.push("perhaps in the vault: its token may not list names".to_owned()),
    }
    if found.is_empty() {
        let place = if matches!(vault, Vault::Shut) { SHUT } else { "or in the vault" };
        let none = format!(
            "none in the environment {place}: pictures are read on this machine (text, colours, layout), and no model sees them"
        );
        return Check::not_set_up("model keys", none, ADD);
    }
    Check::ok("model keys", found.join("; "))
}

/// What the vault says.
#[derive(Clone)]
enum Vault {
    /// It keeps the keys of these providers.
    Has(Vec<Provider>),
    /// There is one, and this process has nothing to open it with.
    Shut,
    /// It can be opened, and its names cannot be seen.
    Hidden,
}

/// What is said of a vault that was not looked into.
const SHUT: &str = "and nothing here opens the vault";

impl Vault {
    fn may_have(&self, provider: Provider) -> bool {
        match self {
            Vault::Has(kept) => kept.contains(&provider),
            Vault::Hidden => true,
            Vault::Shut => false,
        }
    }
}

fn in_vault() -> Vault {
    static LAST: Mutex<Option<(Instant, Vault)>> = Mutex::new(None);
    let credentials = ["AUTHY_TOKEN", "AUTHY_TOKEN_FILE", "AUTHY_KEYFILE", "AUTHY_PASSPHRASE"];
    let Ok(vault) = authy::Vault::from_environment(super::set) else { return Vault::Shut };
    if !vault.exists() {
        return Vault::Has(Vec::new());
    }
    // One that others can read has a row of its own, and opening it would close it: this looks and does not touch.
    if credentials.iter().all(|name| super::set(name).is_none()) || is_open_to_others(&vault) {
        return Vault::Shut;
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, found)) = last.as_ref().filter(|(looked, _)| looked.elapsed() < FRESH) {
        return found.clone();
    }
    // One that does not open has a row of its own.
    let found = match VaultKeys::new(super::set).providers() {
        Ok(Some(kept)) => Vault::Has(kept),
        Ok(None) => Vault::Hidden,
        Err(_) => Vault::Shut,
    };
    last.insert((Instant::now(), found)).1.clone()
}
