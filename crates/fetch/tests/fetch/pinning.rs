//! Names that lead, or begin to lead, where they must not.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fetch::{Access, Client, FetchError, Request, Resolver, Resolving};

use crate::origin::{Origin, answer};

/// Gives the n-th answer to the n-th question, and the last one from then on.
#[derive(Clone)]
struct Scripted {
    answers: Arc<Vec<Vec<IpAddr>>>,
    asked: Arc<AtomicUsize>,
}

impl Scripted {
    fn new(answers: &[&[&str]]) -> Scripted {
        let parse = |list: &&[&str]| list.iter().map(|text| text.parse().expect("an address")).collect();
        Scripted { answers: Arc::new(answers.iter().map(parse).collect()), asked: Arc::default() }
    }
}

impl Resolver for Scripted {
    fn resolve(&self, _: &str) -> Resolving {
        let number = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let answer = self.answers[number].clone();
        Box::pin(async move { Ok(answer) })
    }
}

async fn get(access: Access, resolver: Scripted, url: &str) -> Result<fetch::Response, FetchError> {
    let client = Client::builder(access).resolver(resolver).build().expect("a client");
    client.fetch(Request::get(url).expect("a URL")).await
}

#[tokio::test]
async fn a_name_with_one_private_address_among_public_ones_is_refused() {
    for addresses in
        [&["127.0.0.1"][..], &["8.8.8.8", "10.0.0.1"], &["2606:4700::1", "::ffff:169.254.169.254"]]
    {
        let refused =
            get(Access::public(), Scripted::new(&[addresses]), "http://pictures.example/").await.err();
        let Some(FetchError::Address { host, .. }) = &refused else { panic!("{addresses:?}: {refused:?}") };
        assert_eq!(host, "pictures.example");
    }
}

#[tokio::test]
async fn the_address_that_was_checked_is_the_one_connected_to() {
    // The first look gives the server of the test; every later one another place. One request, one look.
    let origin = Origin::start(|_, _| answer("200 OK", "", b"pinned")).await;
    let resolver = Scripted::new(&[&["127.0.0.1"], &["192.0.2.1"]]);
    let access = Access::public().allow_private("rebinding.example");
    let url = format!("http://rebinding.example:{}/", origin.address.port());
    let response = get(access, resolver.clone(), &url).await.expect("the first address");
    assert_eq!(response.body, "pinned");
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1);
    assert!(origin.seen()[0].contains("host: rebinding.example"), "{:?}", origin.seen());
}

#[tokio::test]
async fn a_name_that_turns_private_between_two_connections_is_refused_at_the_second() {
    // Loopback stands for a public address here, so the name is trusted at first and the second client is not.
    let origin = Origin::start(|_, _| answer("200 OK", "", b"")).await;
    let url = format!("http://rebinding.example:{}/", origin.address.port());
    let resolver = Scripted::new(&[&["127.0.0.1"]]);
    let refused = get(Access::public(), resolver, &url).await.err();
    assert!(matches!(refused, Some(FetchError::Address { .. })), "{refused:?}");
    assert!(origin.seen().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn a_redirect_to_a_name_with_a_private_address_is_refused() {
    let origin = Origin::start(|_, _| answer("302 Found", "location: http://inside.example/\r\n", b"")).await;
    let access = Access::public().allow_private("outside.example");
    let url = format!("http://outside.example:{}/", origin.address.port());
    let refused = get(access, Scripted::new(&[&["127.0.0.1"]]), &url).await.err();
    let Some(FetchError::Address { host, .. }) = &refused else { panic!("{refused:?}") };
    assert_eq!(host, "inside.example");
}

#[tokio::test]
async fn a_name_without_addresses_cannot_be_found() {
    let refused = get(Access::public(), Scripted::new(&[&[]]), "http://nowhere.example/").await.err();
    assert!(matches!(refused, Some(FetchError::Lookup { .. })), "{refused:?}");
}

#[tokio::test]
async fn the_system_knows_that_localhost_is_private() {
    let client = Client::builder(Access::public()).build().expect("a client");
    let refused = client.fetch(Request::get("http://localhost:9/").expect("a URL")).await.err();
    assert!(matches!(refused, Some(FetchError::Address { .. })), "{refused:?}");
}
