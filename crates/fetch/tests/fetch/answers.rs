//! What an answer brings, and what is too much.

use std::io::Write;
use std::time::Duration;

use fetch::{FetchError, Method, Request, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::origin::{Origin, answer, client};

#[tokio::test]
async fn status_headers_and_body_arrive() {
    let origin =
        Origin::start(|_, _| answer("404 Not Found", "content-type: Text/HTML; charset=utf-8\r\n", b"gone"))
            .await;
    let response =
        client().fetch(Request::get(&origin.url("/a?b=c")).expect("a URL")).await.expect("an answer");
    assert_eq!(response.status, 404);
    assert_eq!(response.content_type().as_deref(), Some("text/html"));
    assert_eq!(response.body, "gone");
    let error = response.success().err().expect("not a success").to_string();
    assert!(
        error.contains("404") && error.contains("check the address") && !error.contains("b=c"),
        "{error}"
    );
    assert!(origin.seen()[0].starts_with("GET /a?b=c HTTP/1.1\r\n"), "{:?}", origin.seen());
}

#[tokio::test]
async fn a_body_and_headers_are_sent() {
    let origin = Origin::start(|_, _| answer("200 OK", "", b"")).await;
    let request = Request::post(&origin.url("/"), "hello").expect("a URL");
    let request = request.secret_header("Authorization", b"Bearer abc").expect("a header");
    client().fetch(request).await.expect("an answer");
    let seen = &origin.seen()[0];
    assert!(seen.contains("authorization: Bearer abc\r\n") && seen.ends_with("\r\n\r\nhello"), "{seen}");
    assert!(seen.contains("user-agent: deskmate/"), "{seen}");
    let refused = Request::get("http://a.example").expect("a URL").secret_header("x-key", b"sec\nret").err();
    let refused = refused.expect("a line break").to_string();
    assert!(refused.contains("x-key") && !refused.contains("sec"), "{refused}");
}

#[tokio::test]
async fn more_bytes_than_allowed_are_refused_announced_or_not() {
    let origin = Origin::start(|_, head| {
        if head.contains("/announced") {
            answer("200 OK", "", &[b'a'; 1001])
        } else {
            [&b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"[..], &[b'a'; 1001]].concat()
        }
    })
    .await;
    for path in ["/announced", "/silent"] {
        let request = |limit| Request::get(&origin.url(path)).expect("a URL").limit(limit);
        assert_eq!(client().fetch(request(1001)).await.expect("it fits").body.len(), 1001);
        let refused = client().fetch(request(1000)).await.err();
        assert!(matches!(refused, Some(FetchError::TooLarge { limit: 1000, .. })), "{path}: {refused:?}");
    }
}

#[tokio::test]
async fn bytes_are_counted_after_decompression() {
    let bomb = || {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&vec![0; 4 << 20]).expect("memory");
        encoder.finish().expect("memory")
    };
    assert!(bomb().len() < 10_000);
    let origin = Origin::start(move |_, _| answer("200 OK", "content-encoding: gzip\r\n", &bomb())).await;
    let request = || Request::get(&origin.url("/")).expect("a URL");
    assert_eq!(client().fetch(request()).await.expect("it fits").body.len(), 4 << 20);
    let refused = client().fetch(request().limit(1 << 20)).await.err();
    assert!(matches!(refused, Some(FetchError::TooLarge { .. })), "{refused:?}");
}

#[tokio::test]
async fn an_encoding_nobody_asked_for_is_named() {
    let origin = Origin::start(|_, _| answer("200 OK", "content-encoding: br\r\n", b"??")).await;
    let refused = client().fetch(Request::get(&origin.url("/")).expect("a URL")).await.err();
    assert!(
        matches!(&refused, Some(FetchError::Encoding { encoding, .. }) if encoding == "br"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn the_total_time_holds_for_a_body_that_does_not_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        // An answer that comes before its question is none.
        stream.read_u8().await.expect("a request");
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n";
        stream.write_all(head).await.expect("written");
        std::future::pending::<()>().await;
    });
    let url = Url::parse(&format!("http://{address}/secret-path?secret-query")).expect("a URL");
    let request = Request::new(Method::GET, url).total(Duration::from_millis(300));
    let mut streaming = client().stream(request).await.expect("a head");
    assert_eq!(streaming.content_type().as_deref(), Some("text/event-stream"));
    assert_eq!(streaming.chunk().await.expect("an event").expect("an event"), "data: 1\n\n");
    let late = streaming.chunk().await.expect_err("no more events");
    assert!(matches!(late, FetchError::Timeout { .. }), "{late}");
    assert!(!late.to_string().contains("secret"), "{late}");
}

#[tokio::test]
async fn what_is_not_http_breaks_off_without_its_content() {
    let origin = Origin::start(|_, _| b"SSH-2.0-secret\r\n\r\n".to_vec()).await;
    let broken =
        client().fetch(Request::get(&origin.url("/")).expect("a URL")).await.err().expect("not HTTP");
    assert!(matches!(broken, FetchError::Broken { .. }), "{broken}");
    assert!(!broken.to_string().contains("SSH"), "{broken}");
}

#[tokio::test]
async fn plain_text_where_encryption_should_be_is_no_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        }
    });
    let failed = client().fetch(Request::get(&format!("https://{address}/")).expect("a URL")).await.err();
    assert!(matches!(failed, Some(FetchError::Connect { .. })), "{failed:?}");
}
