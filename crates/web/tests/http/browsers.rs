//! A browser, which has no token: let in by a link that works once.

use std::sync::Arc;
use std::time::Duration;

use mcp::http::Policy;
use serde_json::json;
use web::{Browsers, Gate, Limits};

use crate::host::Host;
use crate::raw::{Request, Response};
use crate::speaking::modern;

const TOKEN: &str = "a-token-of-some-length";

/// A host that wants its token, and the browsers it lets in instead.
fn host() -> (Host, Arc<Browsers>) {
    let browsers = Arc::new(Browsers::new("fixture-1"));
    let known = Arc::clone(&browsers);
    let gate = move |address| Gate::new(address, Some(TOKEN)).expect("a token").browsers(Arc::clone(&known));
    (Host::behind(Policy::default(), Limits::default(), gate), browsers)
}

fn discover() -> Request {
    modern(1, "server/discover", json!({}))
}

fn open(host: &Host, link: &str) -> Response {
    Request::get().path(link).send(host.door)
}

#[test]
fn a_link_is_exchanged_for_a_cookie_once() {
    let (host, browsers) = host();
    assert_eq!(discover().send(host.door).status, 401);
    assert_eq!(discover().header("authorization", &format!("Bearer {TOKEN}")).send(host.door).status, 200);
    let link = browsers.link("/mcp", Duration::from_secs(60)).expect("a link");
    let response = open(&host, &link);
    assert_eq!((response.status, response.header("location")), (303, Some("/mcp")));
    let cookie = response.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().expect("a pair");
    assert_eq!(discover().header("cookie", pair).send(host.door).status, 200);
    assert_eq!(discover().header("cookie", &pair[..pair.len() - 1]).send(host.door).status, 401);
    let again = open(&host, &link);
    assert_eq!((again.status, again.header("set-cookie")), (303, None));
}

#[test]
fn a_page_of_somebody_else_cannot_use_the_cookie_nor_the_link() {
    let (host, browsers) = host();
    let link = browsers.link("/mcp", Duration::from_secs(60)).expect("a link");
    for (name, value) in [("origin", "http://evil.example.com"), ("host", "evil.example.com")] {
        let response = Request::get().path(&link).header(name, value).send(host.door);
        assert_eq!((response.status, response.header("set-cookie")), (403, None), "{name}");
    }
    let cookie = open(&host, &link).header("set-cookie").expect("not spent by others").to_owned();
    let pair = cookie.split(';').next().expect("a pair");
    let foreign = discover().header("cookie", pair).header("origin", "http://evil.example.com");
    assert_eq!(foreign.send(host.door).status, 403);
}

/// An agent is a program of the same user and may have the token. Neither makes it the person.
#[test]
fn pages_of_the_person_open_with_a_link_and_with_nothing_else() {
    let page = || Request::get().path("/person");
    let (guarded, browsers) = host();
    let without_token = Host::behind(Policy::default(), Limits::default(), |address| {
        Gate::new(address, None).expect("loopback").browsers(Arc::new(Browsers::new("fixture-2")))
    });
    assert_eq!(discover().send(without_token.door).status, 200, "the same user gets to MCP");
    assert_eq!(page().send(without_token.door).status, 401);
    let with_token = page().header("authorization", &format!("Bearer {TOKEN}"));
    assert_eq!(with_token.send(guarded.door).status, 401);
    let link = browsers.link("/person", Duration::from_secs(60)).expect("a link");
    let cookie = open(&guarded, &link).header("set-cookie").expect("a cookie").to_owned();
    let pair = cookie.split(';').next().expect("a pair");
    assert_eq!(page().header("cookie", pair).send(guarded.door).status, 200);
}
