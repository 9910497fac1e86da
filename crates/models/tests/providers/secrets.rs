//! Keys: needed, sent, and never told.

use std::sync::Arc;

use models::{EnvironmentKeys, ModelError, Models, OpenAiApi, Provider, Settings};
use models_stub::{Behaviour, Stub};

use super::{ALL, KEY, ask, models_at};

#[tokio::test]
async fn each_provider_gets_the_key_where_it_looks_for_it() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        ask(&models_at(&stub, api, 0), provider, false).await.expect("an answer");
        let seen = stub.seen().pop().expect("a request");
        let bearer = format!("Bearer {KEY}");
        let (name, value) = match provider {
            Provider::Claude => ("x-api-key", KEY),
            Provider::Gemini => ("x-goog-api-key", KEY),
            _ => ("authorization", bearer.as_str()),
        };
        assert_eq!(seen.header(name), Some(value), "{provider}");
        let holders = seen.headers.iter().filter(|(_, value)| value.contains(KEY)).count();
        assert_eq!(holders, 1);
        assert!(!seen.path.contains(KEY) && !seen.body.to_string().contains(KEY));
    }
}

#[tokio::test]
async fn a_provider_that_repeats_the_key_is_not_repeated() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        for (status, streams) in [(400, false), (401, false), (403, true), (429, true), (500, false)] {
            stub.next(Behaviour::fail(status, "x", "bad key {key} (header 'Bearer {key}')"));
            let error = ask(&models_at(&stub, api, 0), provider, streams).await.expect_err("refused");
            for text in [error.to_string(), format!("{error:?}")] {
                assert!(!text.contains(KEY) && !text.contains(&KEY[..12]), "{text}");
            }
        }
        stub.next(Behaviour::FailInStream { message: format!("lost {KEY}") });
        let error = ask(&models_at(&stub, api, 0), provider, true).await.expect_err("failed");
        assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
    }
}

#[tokio::test]
async fn a_key_never_goes_to_a_public_host_without_encryption() {
    for base in ["http://93.184.215.14/v1", "http://[2606:4700::1111]/v1"] {
        let settings = Settings::from_environment(|_| None).expect("settings");
        let settings = settings.place(Provider::OpenAi, base.parse().expect("a URL"));
        let models = Models::new(settings, Arc::new(EnvironmentKeys(|_: &str| Some(KEY.to_owned()))));
        let error = ask(&models, Provider::OpenAi, false).await.expect_err("refused").to_string();
        assert!(error.contains("without encryption") && error.contains("https://"), "{error}");
    }
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let stub = Stub::start().expect("a stub");
    let settings = models_at(&stub, OpenAiApi::Chat, 0).settings().clone();
    let models = Models::new(settings, Arc::new(EnvironmentKeys(|_: &str| None)));
    for provider in [Provider::Zai, Provider::OpenAi, Provider::Claude, Provider::Gemini] {
        let error = ask(&models, provider, false).await.expect_err("no key");
        assert!(matches!(error, ModelError::NoKey { .. }), "{error}");
        assert!(error.to_string().contains(provider.key_variables()[0]), "{error}");
        assert!(matches!(models.open(provider).await.err(), Some(ModelError::NoKey { .. })));
    }
    assert!(stub.seen().is_empty());
    assert!(ask(&models, Provider::Ollama, false).await.is_ok());
}

#[test]
fn settings_and_models_print_no_keys() {
    let settings = Settings::from_environment(|name| name.ends_with("KEY").then(|| KEY.to_owned()));
    assert!(!format!("{settings:?}").contains(KEY));
}

/// Keys that count how often they are looked up.
struct Counting(std::sync::atomic::AtomicUsize);

impl models::Keys for Counting {
    fn key(&self, _: Provider) -> Result<Option<models::Key>, models::KeyError> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(models::Key::new(KEY))
    }
}

#[tokio::test]
async fn a_key_is_looked_up_once_for_a_call() {
    let stub = Stub::start().expect("a stub");
    let keys = Arc::new(Counting(std::sync::atomic::AtomicUsize::new(0)));
    let models = Models::new(models_at(&stub, OpenAiApi::Chat, 0).settings().clone(), keys.clone());
    let session = models.open(Provider::Zai).await.expect("a key");
    session.ask(&super::question(), None).await.expect("an answer");
    assert_eq!(keys.0.load(std::sync::atomic::Ordering::Relaxed), 1);
}
