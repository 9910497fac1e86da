//! What goes wrong, and how it is said.

use std::time::Duration;

use models::{Heard, ModelError, Provider, Refusal};
use models_stub::{Behaviour, Stub};

use super::{ALL, ask, models_at, question};

/// A wrong key in each provider's words.
fn wrong_key(provider: Provider) -> Behaviour {
    let code = match provider {
        Provider::Zai => "1000",
        Provider::OpenAi | Provider::Compatible => "invalid_api_key",
        Provider::Claude => "authentication_error",
        Provider::Gemini => "UNAUTHENTICATED",
        Provider::Ollama => "",
    };
    Behaviour::fail(401, code, "the key is wrong")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_key_is_said_with_the_name_of_its_variable_and_not_tried_again() {
    let stub = Stub::start().expect("a stub");
    for (at, (provider, api)) in ALL.into_iter().enumerate() {
        stub.next(wrong_key(provider));
        let error = ask(&models_at(&stub, api, 2), provider, false).await.expect_err("refused").to_string();
        assert!(error.contains(provider.key_variables()[0]), "{error}");
        assert_eq!(stub.seen().len(), at + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_requests_are_repeated_after_the_wait_that_was_asked_for() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        for header in
            [("Retry-After", "0"), ("retry-after-ms", "1"), ("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT")]
        {
            let (name, value) = (header.0.to_owned(), header.1.to_owned());
            let code = if provider == Provider::Zai { "1302" } else { "rate_limit_exceeded" };
            let message = "slowly".to_owned();
            let headers = vec![(name, value)];
            stub.next(Behaviour::Fail { status: 429, code: code.to_owned(), message, headers });
            let answer = ask(&models_at(&stub, api, 1), provider, false).await.expect("an answer");
            assert_eq!(answer.attempts, 2, "{provider}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trouble_of_the_provider_is_repeated_and_then_told() {
    let stub = Stub::start().expect("a stub");
    let (provider, api) = ALL[0];
    for _ in 0..2 {
        stub.next(Behaviour::fail(500, "500", "on fire"));
    }
    let error = ask(&models_at(&stub, api, 1), provider, false).await.expect_err("still on fire");
    assert!(error.to_string().contains("“on fire”"), "{error}");
    assert_eq!(stub.seen().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_balance_and_a_spent_plan_are_not_tried_again() {
    let stub = Stub::start().expect("a stub");
    for (code, expected) in [("1113", Refusal::Balance), ("1308", Refusal::Quota), ("1210", Refusal::Request)]
    {
        let before = stub.seen().len();
        stub.next(Behaviour::fail(429, code, "no"));
        let error = ask(&models_at(&stub, ALL[0].1, 2), Provider::Zai, false).await.expect_err("refused");
        assert!(matches!(error, ModelError::Refused { refusal, .. } if refusal == expected), "{error}");
        assert_eq!(stub.seen().len(), before + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_and_broken_answers_are_told_apart() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        let models = models_at(&stub, api, 0);
        stub.next(Behaviour::Malformed);
        let error = ask(&models, provider, false).await.expect_err("damaged");
        assert!(matches!(error, ModelError::Malformed { .. }), "{provider}: {error}");
        for behaviour in [Behaviour::Drop, Behaviour::Truncate] {
            stub.next(behaviour);
            let error = ask(&models, provider, false).await.expect_err("broken");
            assert!(matches!(error, ModelError::Fetch { .. }), "{provider}: {error}");
        }
        stub.next(Behaviour::Truncate);
        let error = ask(&models, provider, true).await.expect_err("broken");
        assert!(matches!(error, ModelError::Incomplete { .. }), "{provider}: {error}");
        stub.next(Behaviour::FailInStream { message: "gave up".to_owned() });
        let error = ask(&models, provider, true).await.expect_err("an error in the stream");
        assert!(error.to_string().contains("gave up"), "{provider}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_answer_is_cut_off() {
    let stub = Stub::start().expect("a stub");
    stub.next(Behaviour::Endless);
    let error = ask(&models_at(&stub, ALL[0].1, 0), Provider::Zai, false).await.expect_err("too long");
    assert!(matches!(error, ModelError::Fetch { source: fetch::FetchError::TooLarge { .. }, .. }), "{error}");
    stub.wait_for_hang_ups(1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_is_not_followed_with_the_key() {
    let stub = Stub::start().expect("a stub");
    let elsewhere = Stub::start().expect("another");
    stub.next(Behaviour::Redirect { location: format!("{}/v1/chat/completions", elsewhere.url()) });
    let error = ask(&models_at(&stub, ALL[1].1, 0), Provider::OpenAi, false).await;
    assert!(error.is_err());
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_question_ends_the_call_at_the_provider() {
    let stub = Stub::start().expect("a stub");
    for (at, behaviour) in [Behaviour::Silence, Behaviour::Stall].into_iter().enumerate() {
        stub.next(behaviour);
        let models = models_at(&stub, ALL[0].1, 0);
        let task = tokio::spawn(async move {
            let mut listener = |_: Heard| {};
            models.ask(Provider::Zai, &question(), Some(&mut listener)).await.map(drop)
        });
        let (stub_ready, count) = (&stub, at + 1);
        tokio::task::block_in_place(|| stub_ready.wait_for_requests(count));
        task.abort();
        tokio::task::block_in_place(|| stub_ready.wait_for_hang_ups(count));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_does_not_come_is_given_up() {
    let stub = Stub::start().expect("a stub");
    stub.next(Behaviour::Silence);
    let mut settings = models_at(&stub, ALL[0].1, 0).settings().clone();
    settings.timeout = Duration::from_millis(100);
    let keys = models::EnvironmentKeys(|_: &str| Some("key".to_owned()));
    let models = models::Models::new(settings, std::sync::Arc::new(keys));
    let error = ask(&models, Provider::Zai, false).await.expect_err("too late");
    assert!(matches!(error, ModelError::Fetch { source: fetch::FetchError::Timeout { .. }, .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_address_that_nobody_set_is_not_reached() {
    let settings = models::Settings::from_environment(|name| {
        (name == "OPENAI_BASE_URL").then(|| "http://127.0.0.1:9/v1".to_owned())
    })
    .expect("settings");
    let keys = || std::sync::Arc::new(models::EnvironmentKeys(|_: &str| Some("key".to_owned())));
    let chosen = models::Models::new(settings, keys());
    let error = ask(&chosen, Provider::OpenAi, false).await.expect_err("nobody is there");
    assert!(matches!(error, ModelError::Fetch { source: fetch::FetchError::Connect { .. }, .. }), "{error}");
}
