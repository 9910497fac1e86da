//! The keys of model providers, kept in the vault.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

use std::ffi::OsString;
use std::path::PathBuf;

use authy::{AuthyClient, Credential, NewGrant, PolicyName, Vault};
use keys::VaultKeys;
use mcp_testkit::Folder;
use models::{Key, KeySafe, Keys, Provider};

/// A folder with a vault and its keyfile.
struct Home(Folder);

impl Home {
    fn empty() -> Home {
        Home(Folder::new())
    }

    /// With a vault in it.
    fn new() -> Home {
        let home = Home::empty();
        home.client().init_vault().expect("a vault");
        home
    }

    fn keyfile(&self) -> PathBuf {
        self.0.path("key")
    }

    fn vault(&self) -> Vault {
        Vault::at(self.0.path("vault"))
    }

    /// The owner, in this process.
    fn client(&self) -> AuthyClient {
        AuthyClient::new(self.vault(), Credential::Keyfile(self.keyfile()))
    }

    /// The token of a grant to use these names.
    fn token(&self, allow: &str) -> String {
        let client = self.client();
        client.create_policy("some", &[allow], &[], None, false).expect("a policy");
        let policy = PolicyName::new("some").expect("a name");
        let capabilities = "use".parse().expect("capabilities");
        let grant = NewGrant { capabilities, ..NewGrant::for_agent("a test", policy) };
        let issued = client.session().expect("a session").create_grant(&grant).expect("a grant");
        issued.token.reveal().to_string()
    }
}

/// The keys of somebody whose environment has the vault and this credential.
fn keys(home: &Home, credential: Option<(&'static str, OsString)>) -> impl KeySafe + use<> {
    let vault: OsString = home.vault().folder().into();
    VaultKeys::new(move |name: &str| match &credential {
        _ if name == "AUTHY_HOME" || name == "AUTHY_ANCHOR" => Some(vault.clone()),
        Some((known, value)) if *known == name => Some(value.clone()),
        _ => None,
    })
}

fn found(keys: &impl Keys, provider: Provider) -> Option<String> {
    keys.key(provider).expect("the vault can be asked").map(|key| key.expose().to_owned())
}

#[test]
fn a_providers_key_is_a_secret_of_the_vault() {
    let home = Home::new();
    let owner = home.client();
    owner.store("anthropic-api-key", "key of claude\n", false).expect("stored");
    owner.store("zai-api-key", "second name", false).expect("stored");
    let keys = keys(&home, Some(("AUTHY_KEYFILE", home.keyfile().into())));
    assert_eq!(found(&keys, Provider::Claude).as_deref(), Some("key of claude"));
    assert_eq!(found(&keys, Provider::Zai).as_deref(), Some("second name"));
    assert_eq!(found(&keys, Provider::Gemini), None);
    owner.store("anthropic-api-key", "a new one", true).expect("stored");
    assert_eq!(found(&keys, Provider::Claude).as_deref(), Some("a new one"), "it counts at once");
    let uses = owner.audit_entries().expect("a log");
    assert!(uses.iter().any(|entry| format!("{entry:?}").contains("ask a model of Anthropic")), "{uses:?}");
}

#[test]
fn a_grant_to_use_is_enough_and_what_it_does_not_cover_is_not_there() {
    let home = Home::new();
    home.client().store("openai-api-key", "sk", false).expect("stored");
    home.client().store("gemini-api-key", "other", false).expect("stored");
    let keys = keys(&home, Some(("AUTHY_TOKEN", home.token("openai-*").into())));
    assert_eq!(found(&keys, Provider::OpenAi).as_deref(), Some("sk"));
    assert_eq!(found(&keys, Provider::Gemini), None);
}

#[test]
fn without_a_vault_or_a_credential_there_is_no_key_and_no_error() {
    let home = Home::empty();
    assert_eq!(found(&keys(&home, None), Provider::Zai), None);
    assert_eq!(found(&keys(&home, Some(("AUTHY_KEYFILE", home.keyfile().into()))), Provider::Zai), None);
    let other = Home::new();
    let wrong = keys(&other, Some(("AUTHY_PASSPHRASE", "wrong".into())));
    let failed = wrong.key(Provider::Zai).expect_err("the wrong passphrase").to_string();
    assert!(failed.contains("the vault of authy") && failed.contains("passphrase"), "{failed}");
}

#[test]
fn a_key_is_kept_and_forgotten() {
    let home = Home::new();
    let owner = keys(&home, Some(("AUTHY_KEYFILE", home.keyfile().into())));
    let key = Key::new("sk-ant-0123456789").expect("a key");
    owner.save(Provider::Claude, &key).expect("kept");
    let found = owner.key(Provider::Claude).expect("a vault").expect("a key");
    assert_eq!(found.last_four().as_deref(), Some("6789"));
    owner.save(Provider::Claude, &Key::new("sk-ant-another-one").expect("a key")).expect("replaced");
    assert_eq!(
        home.client().get("anthropic-api-key").expect("a vault").expect("a secret").as_text().expect("text"),
        "sk-ant-another-one"
    );
    assert!(
        owner.delete(Provider::Claude).expect("a vault") && !owner.delete(Provider::Claude).expect("a vault")
    );
    assert!(owner.key(Provider::Claude).expect("a vault").is_none());
    let refused = keys(&home, None).save(Provider::Claude, &key).expect_err("nothing unlocks it").to_string();
    assert!(refused.contains("authy init") && !refused.contains("0123456789"), "{refused}");
}
