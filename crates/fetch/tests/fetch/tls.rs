//! HTTPS with certificates made for the test: a root, one below it, and that of the server.

use std::net::IpAddr;
use std::sync::Arc;

use fetch::{Access, Client, FetchError, Request, Resolver, Resolving, Response};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::origin::{Origin, answer};

const HOST: &str = "secure.example";

/// Every name leads to this machine.
struct Here;

impl Resolver for Here {
    fn resolve(&self, _: &str) -> Resolving {
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

/// What a server shows, and the root it hangs on.
struct Chain {
    root: CertificateDer<'static>,
    shown: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

fn authority(name: &str) -> (CertificateParams, KeyPair) {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    (params, KeyPair::generate().expect("a key"))
}

/// The chain of a server of this name, until the end of this year.
fn chain(host: &str, until: i32) -> Chain {
    let (root, root_key) = authority("a root");
    let (middle, middle_key) = authority("one below it");
    let mut leaf = CertificateParams::new([host.to_owned()]).expect("a name");
    (leaf.not_before, leaf.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(until, 12, 31));
    let leaf_key = KeyPair::generate().expect("a key");
    let shown_root = root.self_signed(&root_key).expect("a root");
    let shown_middle =
        middle.signed_by(&middle_key, &Issuer::from_params(&root, &root_key)).expect("a certificate");
    let shown_leaf =
        leaf.signed_by(&leaf_key, &Issuer::from_params(&middle, &middle_key)).expect("a certificate");
    Chain {
        root: shown_root.der().clone(),
        shown: vec![shown_leaf.der().clone(), shown_middle.der().clone()],
        key: PrivateKeyDer::try_from(leaf_key.serialize_der()).expect("a key"),
    }
}

/// Asks a server with this chain; `trusted` is a root the client knows besides those of the world.
async fn get(chain: Chain, trusted: Option<&CertificateDer<'static>>) -> Result<Response, FetchError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain.shown, chain.key)
        .expect("a chain and its key");
    let origin = Origin::start_tls(config, |_, _| answer("200 OK", "", b"over TLS")).await;
    let mut client = Client::builder(Access::public().allow_private(HOST)).resolver(Here);
    if let Some(root) = trusted {
        client = client.trust(root.to_vec());
    }
    let url = format!("https://{HOST}:{}/", origin.address.port());
    let request =
        Request::get(&url).expect("a URL").secret_header("authorization", b"Bearer x").expect("a header");
    let answered = client.build().expect("a client").fetch(request).await;
    assert_eq!(
        answered.is_ok(),
        !origin.seen().is_empty(),
        "nothing is said to a server that is not trusted"
    );
    answered
}

#[tokio::test]
async fn a_chain_to_a_trusted_root_is_good() {
    let chain = chain(HOST, 2999);
    let root = chain.root.clone();
    assert_eq!(get(chain, Some(&root)).await.expect("an answer").body, "over TLS");
}

#[tokio::test]
async fn an_unknown_root_another_name_an_old_certificate_and_a_missing_link_are_refused() {
    let unknown = get(chain(HOST, 2999), None).await;
    let other_root = get(chain(HOST, 2999), Some(&chain(HOST, 2999).root)).await;
    let (named, old, mut cut) = (chain("other.example", 2999), chain(HOST, 2021), chain(HOST, 2999));
    cut.shown.truncate(1);
    let roots = [&named, &old, &cut].map(|chain| chain.root.clone());
    let another_name = get(named, Some(&roots[0])).await;
    let expired = get(old, Some(&roots[1])).await;
    let without_link = get(cut, Some(&roots[2])).await;
    for (what, refused) in [
        ("unknown", unknown),
        ("other root", other_root),
        ("name", another_name),
        ("expired", expired),
        ("link", without_link),
    ] {
        let error = refused.err().unwrap_or_else(|| panic!("{what} was accepted"));
        assert!(!format!("{error:?}").contains("Bearer"), "{error:?}");
    }
}
