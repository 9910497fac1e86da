//! What is sent again, and what is not.

use fetch::{FetchError, Request};
use tokio::net::TcpListener;

use crate::origin::{Origin, answer, client};

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let origin = Origin::start(|number, _| match number {
        0 => answer("503 Service Unavailable", "", b""),
        1 => answer("429 Too Many Requests", "retry-after: 0\r\n", b""),
        _ => answer("200 OK", "", b"at last"),
    })
    .await;
    let response = client().fetch(Request::get(&origin.url("/")).expect("a URL")).await.expect("an answer");
    assert_eq!((response.body.as_ref(), origin.seen().len()), (&b"at last"[..], 3));
}

#[tokio::test]
async fn what_must_not_happen_twice_is_sent_once() {
    let origin = Origin::start(|_, _| answer("503 Service Unavailable", "", b"")).await;
    let post = || Request::post(&origin.url("/"), "x").expect("a URL");
    assert_eq!(client().fetch(post()).await.expect("an answer").status, 503);
    assert_eq!(origin.seen().len(), 1);
    client().fetch(post().repeatable()).await.expect("an answer");
    assert_eq!(origin.seen().len(), 4);
}

#[tokio::test]
async fn a_server_that_wants_more_patience_than_there_is_gets_its_way() {
    let origin = Origin::start(|_, _| answer("503 Service Unavailable", "retry-after: 3600\r\n", b"")).await;
    let response = client().fetch(Request::get(&origin.url("/")).expect("a URL")).await.expect("an answer");
    assert_eq!((response.status.as_u16(), origin.seen().len()), (503, 1));
}

#[tokio::test]
async fn a_failure_that_is_not_temporary_is_final() {
    let origin = Origin::start(|_, _| answer("500 Internal Server Error", "", b"")).await;
    client().fetch(Request::get(&origin.url("/")).expect("a URL")).await.expect("an answer");
    assert_eq!(origin.seen().len(), 1);
}

#[tokio::test]
async fn nobody_there_is_said_plainly() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let url = format!("http://{address}/secret");
    let failed = client().fetch(Request::get(&url).expect("a URL")).await.err().expect("nobody there");
    assert!(matches!(failed, FetchError::Connect { .. }), "{failed}");
    assert!(failed.to_string().to_lowercase().contains("refused") && !failed.to_string().contains("secret"));
}
