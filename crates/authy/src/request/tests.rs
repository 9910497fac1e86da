//! Requests to a server of the test, on loopback.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{Basic, Bound, Bounds, Draft, HostRule, Plan, RequestError, Sender};
use crate::scrub::{Captured, Secret};

const SECRET: &[u8] = b"s3cr&t \"key\"";

/// Answers every request with the whole of it: what a careless server would do.
async fn echo() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let site = format!("http://{}", listener.local_addr().expect("an address"));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let remembered = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = vec![0; 65536];
            let count = stream.read(&mut bytes).await.unwrap_or_default();
            let request = String::from_utf8_lossy(&bytes[..count]).into_owned();
            let redirects = request.contains("/away");
            let status =
                if redirects { "302 Found\r\nlocation: http://elsewhere.example/" } else { "200 OK" };
            let head = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\nset-cookie: session=1\r\ncontent-type: text/plain\r\n\
                 x-request-id: {}\r\ncontent-length: {}\r\n\r\n",
                String::from_utf8_lossy(SECRET),
                request.len()
            );
            remembered.lock().expect("no panic").push(request.clone());
            let _ = stream.write_all((head + &request).as_bytes()).await;
        }
    });
    (site, seen)
}

fn rules(texts: &[&str]) -> Vec<HostRule> {
    texts.iter().map(|text| text.parse().expect("a rule")).collect()
}

async fn send(
    draft: &Draft,
    rules: &[HostRule],
) -> Result<(u16, String, Vec<(String, String)>), RequestError> {
    let secret = Secret { name: "api", value: SECRET };
    let plan = Plan::new(draft)?;
    let answer = plan.send(&Sender::new(), &[Bound { secret, rules }], Bounds::default()).await?;
    let Captured::Shown { bytes, .. } = answer.body else { panic!("withheld") };
    Ok((answer.status, String::from_utf8(bytes).expect("text"), answer.headers))
}

fn draft(method: &str, url: String) -> Draft {
    Draft { method: method.to_owned(), url, ..Draft::default() }
}

#[tokio::test]
async fn a_secret_arrives_everywhere_and_comes_back_nowhere() {
    let (site, seen) = echo().await;
    let mut post = draft("post", format!("{site}/x?a=1&key={{{{secret:api}}}}#part"));
    post.headers = vec![
        ("X-Key".to_owned(), "k={{secret:api}}".to_owned()),
        ("Content-Type".to_owned(), "application/json; charset=utf-8".to_owned()),
    ];
    post.body = Some(r#"{"key":"{{secret:api}}"}"#.to_owned());
    post.basic = Some(Basic { user: "ada".to_owned(), secret: "api".to_owned() });
    let (status, body, headers) = send(&post, &rules(&[&site])).await.expect("an answer");
    let sent = seen.lock().expect("no panic")[0].clone();
    assert!(sent.starts_with("POST /x?a=1&key=s3cr%26t%20%22key%22 HTTP/1.1"), "{sent}");
    assert!(sent.contains("x-key: k=s3cr&t \"key\"\r\n"), "{sent}");
    assert!(sent.contains("authorization: Basic YWRhOnMzY3ImdCAia2V5Ig==\r\n"), "{sent}");
    assert!(sent.ends_with(r#"{"key":"s3cr&t \"key\""}"#), "{sent}");
    assert_eq!(status, 200);
    for left in ["s3cr", "key\"\"", "MzY3ImdCAia2V5", "cookie"] {
        assert!(!body.contains(left) && !format!("{headers:?}").contains(left), "{left}: {body} {headers:?}");
    }
    assert!(body.contains("k=[secret:api]") && body.contains("key=[secret:api] HTTP"), "{body}");
    assert!(headers.contains(&("x-request-id".to_owned(), "[secret:api]".to_owned())), "{headers:?}");
}

#[tokio::test]
async fn a_secret_goes_to_no_host_it_is_not_bound_to() {
    let (site, seen) = echo().await;
    let mut get = draft("GET", format!("{site}/"));
    get.headers = vec![("X-Key".to_owned(), "{{secret:api}}".to_owned())];
    for bound in [&[][..], &["api.example.com"], &["http://127.0.0.1"], &["POST http://127.0.0.1"]] {
        let refused = send(&get, &rules(bound)).await.err();
        assert!(matches!(refused, Some(RequestError::NotBound { .. })), "{bound:?}: {refused:?}");
    }
    assert!(seen.lock().expect("no panic").is_empty(), "nothing was sent");
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let (site, seen) = echo().await;
    let mut get = draft("GET", format!("{site}/away"));
    get.headers = vec![("X-Key".to_owned(), "{{secret:api}}".to_owned())];
    let (status, _, headers) = send(&get, &rules(&[&site])).await.expect("an answer");
    assert_eq!(status, 302);
    assert!(
        headers.contains(&("location".to_owned(), "http://elsewhere.example/".to_owned())),
        "{headers:?}"
    );
    assert_eq!(seen.lock().expect("no panic").len(), 1);
}

#[tokio::test]
async fn a_value_too_short_to_be_found_keeps_the_answer_back() {
    let (site, _) = echo().await;
    let mut get = draft("GET", format!("{site}/"));
    get.headers = vec![("X-Pin".to_owned(), "{{secret:pin}}".to_owned())];
    let (secret, rules) = (Secret { name: "pin", value: b"42" }, rules(&[&site]));
    let plan = Plan::new(&get).expect("a plan");
    let sent = plan.send(&Sender::new(), &[Bound { secret, rules: &rules }], Bounds::default()).await;
    let answer = sent.expect("an answer");
    assert_eq!((answer.status, answer.headers.len(), answer.body), (200, 0, Captured::Withheld));
}

#[tokio::test]
async fn an_answer_is_cut() {
    let (site, _) = echo().await;
    let mut get = draft("GET", format!("{site}/"));
    get.headers = vec![("X-Key".to_owned(), "{{secret:api}}".to_owned())];
    let (secret, rules) = (Secret { name: "api", value: SECRET }, rules(&[&site]));
    let bounds = Bounds { body: 5, ..Bounds::default() };
    let plan = Plan::new(&get).expect("a plan");
    let answer =
        plan.send(&Sender::new(), &[Bound { secret, rules: &rules }], bounds).await.expect("an answer");
    assert_eq!(answer.body, Captured::Shown { bytes: b"GET /".to_vec(), cut: true });
}

#[test]
fn drafts_that_make_no_sense_are_refused_before_a_value_is_needed() {
    let refused = |draft: Draft| Plan::new(&draft).map(|_| ()).expect_err("refused").to_string();
    let with = |name: &str, value: &str| {
        let mut draft = draft("GET", "https://a.example/".to_owned());
        draft.headers = vec![(name.to_owned(), value.to_owned())];
        draft
    };
    assert!(refused(draft("BREW", "https://a.example/".to_owned())).contains("`BREW`"));
    assert!(refused(draft("GET", "https://a.example/".to_owned())).contains("{{secret:NAME}}"));
    assert!(refused(draft("GET", "https://{{secret:x}}.example/".to_owned())).contains("address"));
    assert!(refused(draft("GET", "https://a.example/{{secret:x}}".to_owned())).contains("address"));
    assert!(refused(draft("GET", "not a url?{{secret:x}}".to_owned())).contains("URL"));
    assert!(refused(with("Host", "{{secret:x}}")).contains("`Host`"));
    assert!(refused(with("X-Forwarded-For", "{{secret:x}}")).contains("leave it out"));
    assert!(refused(with("a b", "{{secret:x}}")).contains("name of a header"));
    assert!(refused(with("a", "{{secret:x")).contains("has no"));
    let mut twice = with("Authorization", "{{secret:x}}");
    twice.basic = Some(Basic::default());
    assert!(refused(twice).contains("use one of them"));
    assert!(
        refused(draft("GET", format!("https://a.example/?{{{{secret:x}}}}{}", "a".repeat(2 << 20))))
            .contains("bytes")
    );
}
