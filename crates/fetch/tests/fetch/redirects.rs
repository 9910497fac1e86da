//! Redirects, followed by ourselves.

use fetch::{FetchError, Method, Redirects, Request, Url};

use crate::origin::{Origin, answer, client};

fn to(path: &str) -> Vec<u8> {
    answer("307 Temporary Redirect", &format!("location: {path}\r\n"), b"")
}

#[tokio::test]
async fn a_redirect_is_followed_to_the_end() {
    let origin =
        Origin::start(
            |_, head| {
                if head.starts_with("GET /end") { answer("200 OK", "", b"end") } else { to("/end") }
            },
        )
        .await;
    let response =
        client().fetch(Request::get(&origin.url("/start")).expect("a URL")).await.expect("followed");
    assert_eq!((response.url.path(), &response.body[..]), ("/end", &b"end"[..]));
}

#[tokio::test]
async fn a_circle_of_redirects_ends() {
    let origin = Origin::start(|_, _| to("/again")).await;
    let refused = client().fetch(Request::get(&origin.url("/")).expect("a URL")).await.err();
    assert!(matches!(refused, Some(FetchError::TooManyRedirects { limit: 5, .. })), "{refused:?}");
    assert_eq!(origin.seen().len(), 6);
}

#[tokio::test]
async fn another_host_sees_neither_credentials_nor_a_request_it_must_not_get() {
    let other = Origin::start(|_, _| answer("200 OK", "", b"other")).await;
    let elsewhere = other.url("/landing");
    let origin = Origin::start(move |_, _| to(&elsewhere)).await;
    let request = |redirects| {
        let request = Request::get(&origin.url("/")).expect("a URL").redirects(redirects);
        request.secret_header("authorization", b"Bearer abc").expect("a header")
    };
    let refused = client().fetch(request(Redirects::SameHost)).await.err();
    assert!(matches!(refused, Some(FetchError::OffHost { .. })), "{refused:?}");
    assert!(other.seen().is_empty());
    assert_eq!(client().fetch(request(Redirects::Never)).await.expect("itself").status, 307);
    assert_eq!(client().fetch(request(Redirects::Follow)).await.expect("followed").body, "other");
    assert!(!other.seen()[0].contains("abc"), "{:?}", other.seen());
}

#[tokio::test]
async fn a_redirect_without_a_target_is_an_error() {
    let origin = Origin::start(|_, _| answer("302 Found", "", b"")).await;
    let refused = client().fetch(Request::get(&origin.url("/")).expect("a URL")).await.err();
    assert!(matches!(refused, Some(FetchError::BadRedirect { .. })), "{refused:?}");
    let head = Request::new(Method::HEAD, Url::parse(&origin.url("/")).expect("a URL"));
    assert!(client().fetch(head).await.is_err());
}
