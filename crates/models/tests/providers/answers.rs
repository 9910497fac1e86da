//! Answers, at once and bit by bit.

use models::{Finish, Heard, ModelError, Usage};
use models_stub::{Behaviour, Stub};

use super::{ALL, ask, models_at, question};

#[tokio::test]
async fn every_provider_answers_at_once_and_bit_by_bit_alike() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        let models = models_at(&stub, api, 0);
        let mut answers = Vec::new();
        for streams in [false, true] {
            stub.next(Behaviour::answer("A red square, and \"words\" — 字."));
            let answer = ask(&models, provider, streams).await.expect("an answer");
            assert_eq!(answer.text, "A red square, and \"words\" — 字.", "{provider}");
            assert_eq!((answer.finish.clone(), answer.attempts), (Finish::Stop, 1), "{provider}");
            let Usage { input, output, .. } = answer.usage;
            assert_eq!((input, output), (Some(1200), Some(42)), "{provider}");
            let set = &models.settings().endpoint(provider).expect("an endpoint").model;
            assert_eq!(&answer.model, set);
            answers.push(answer.text);
        }
        assert_eq!(answers[0], answers[1]);
    }
}

#[tokio::test]
async fn whoever_listens_hears_the_answer_grow() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        let models = models_at(&stub, api, 0);
        stub.next(Behaviour::answer("one two three four five"));
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let mut listener = |piece: Heard<'_>| {
            text.push_str(piece.text);
            bytes.push(piece.bytes);
        };
        let answer = models.ask(provider, &question(), Some(&mut listener)).await.expect("an answer");
        assert_eq!(text, answer.text, "{provider}");
        assert!(bytes.is_sorted() && bytes.last().is_some_and(|bytes| *bytes >= 23), "{provider}: {bytes:?}");
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_short_says_so() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        for streams in [false, true] {
            stub.next(Behaviour::CutShort { text: "half an".to_owned() });
            let answer = ask(&models_at(&stub, api, 0), provider, streams).await.expect("an answer");
            assert_eq!((answer.text.as_str(), answer.finish), ("half an", Finish::Length), "{provider}");
        }
    }
}

#[tokio::test]
async fn thoughts_without_words_are_an_error_of_their_own() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        for streams in [false, true] {
            stub.next(Behaviour::OnlyThoughts);
            let error = ask(&models_at(&stub, api, 0), provider, streams).await.expect_err("no words");
            assert!(matches!(error, ModelError::OnlyThoughts { .. }), "{provider}: {error}");
        }
    }
}

#[tokio::test]
async fn a_model_that_declines_is_quoted() {
    let stub = Stub::start().expect("a stub");
    for (provider, api) in ALL {
        if provider == models::Provider::Ollama {
            continue; // it has no way to say so
        }
        for streams in [false, true] {
            stub.next(Behaviour::Decline);
            let error = ask(&models_at(&stub, api, 0), provider, streams).await.expect_err("declined");
            assert!(matches!(error, ModelError::Declined { .. }), "{provider} {streams}: {error}");
        }
    }
}
