//! The test vectors of the format, which another program wrote: `docs/vault-format.json`.

use serde_json::Value;

use super::crypto::{Key, Place, extract, hash, hex};
use super::sealing::Secret;
use super::signing::{VaultIdentity, verifies};
use super::{Identity, RecoveryCode, Stretching, Token};
use crate::trust::SignedHead;

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("hexadecimal digits");
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("a byte");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn key(value: &Value) -> Key {
    Key::read(&bytes(value)).expect("a key")
}

fn parts(value: &Value) -> Vec<Vec<u8>> {
    value.as_array().expect("parts").iter().map(bytes).collect()
}

/// Calls `with` for each vector of a kind; there is at least one.
fn each(kind: &str, with: impl Fn(&Value)) {
    let all: Value =
        serde_json::from_str(include_str!("../../../../docs/vault-format.json")).expect("vectors");
    let vectors = all[kind].as_array().expect(kind);
    assert!(!vectors.is_empty(), "{kind}");
    vectors.iter().for_each(with);
}

fn in_place<T>(value: &Value, with: impl FnOnce(Place<'_>) -> T) -> T {
    let vault = bytes(&value["vault"]).try_into().expect("16 bytes");
    assert_eq!(value["table"], "value");
    let (row, version) = (bytes(&value["row"]), value["version"].as_u64().expect("a number"));
    with(Place { vault: &vault, table: "value", row: &row, version })
}

#[test]
fn what_another_program_computed_is_what_we_compute() {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    each("digest", |vector| {
        let parts = parts(&vector["parts"]);
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        assert_eq!(hex(&hash(&text(&vector["purpose"]), &parts)), vector["is"]);
    });
    each("mac", |vector| {
        let parts = parts(&vector["parts"]);
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        assert_eq!(hex(&key(&vector["key"]).mac(&text(&vector["purpose"]), &parts)), vector["is"]);
    });
    each("extract", |vector| {
        let found = extract(&bytes(&vector["salt"]), &bytes(&vector["secret"]), &text(&vector["purpose"]));
        assert_eq!(hex(found.bytes()), vector["is"]);
    });
    each("seal", |vector| {
        let sealed = bytes(&vector["is"]);
        let plain = in_place(&vector["place"], |place| key(&vector["key"]).open(place, &sealed));
        assert_eq!(plain.as_deref(), Some(&bytes(&vector["plain"])));
    });
    each("seal_to", |vector| {
        let (secret, sealed) = (Secret::from_key(&key(&vector["secret"])), bytes(&vector["is"]));
        assert_eq!(hex(&secret.public()), vector["public"]);
        let plain = in_place(&vector["place"], |place| secret.open(place, &sealed));
        assert_eq!(plain.as_deref(), Some(&bytes(&vector["plain"])));
    });
    each("signature", |vector| {
        let identity = VaultIdentity::from_key(&key(&vector["seed"]));
        assert_eq!(hex(&identity.public()), vector["identity"]);
        let parts = parts(&vector["parts"]);
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let (purpose, signature) = (text(&vector["purpose"]), bytes(&vector["is"]));
        assert_eq!(identity.sign(&purpose, &parts).as_slice(), signature);
        let signature = signature.try_into().expect("64 bytes");
        assert!(verifies(&identity.public(), &purpose, &parts, &signature));
    });
    each("head", |vector| {
        let head = SignedHead {
            body: bytes(&vector["body"]),
            previous: bytes(&vector["previous"]).try_into().expect("32 bytes"),
            signature: [0; 64],
        };
        let vault = bytes(&vector["vault"]).try_into().expect("16 bytes");
        assert_eq!(hex(&head.link(&vault)), vector["link"]);
        let read = crate::trust::Head::read(&head.body).expect("a head");
        assert_eq!((read.version, read.records), (7, 3));
    });
}

#[test]
fn credentials_come_to_the_keys_that_another_program_gets() {
    each("passphrase", |vector| {
        let written = serde_json::json!({
            "salt": bytes(&vector["salt"]),
            "memory_kib": vector["memory_kib"], "passes": vector["passes"], "lanes": vector["lanes"],
        });
        let stretching: Stretching = serde_json::from_value(written).expect("parameters");
        let pair = stretching.pair(vector["passphrase"].as_str().expect("a text")).expect("in bounds");
        assert_eq!(hex(&pair.public()), vector["public"]);
    });
    each("keyfile", |vector| {
        let identity = Identity::parse(vector["text"].as_str().expect("a text")).expect("an identity");
        assert_eq!(hex(&identity.pair().public()), vector["public"]);
    });
    each("recovery", |vector| {
        let code = RecoveryCode::parse(vector["code"].as_str().expect("a text")).expect("a code");
        assert_eq!(hex(&code.pair().public()), vector["public"]);
    });
    each("token", |vector| {
        let token = Token::parse(vector["text"].as_str().expect("a text")).expect("a token");
        assert_eq!(token.id().to_string(), vector["grant"]);
        assert_eq!(hex(&token.pair().public()), vector["public"]);
    });
}
