//! A vault of a test's own, gone with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use authy::{
    Attributes, Capabilities, Consent, Credential, Error, Identity, IssuedGrant, NewGrant, NewPolicy,
    NewSecret, NewSlot, Overwrite, PolicyName, SecretName, SecretValue, Session, Vault,
};

pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("authy-vault-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A vault with a keyfile, and the owner's session.
pub(crate) struct Owned {
    pub(crate) folder: Folder,
    pub(crate) vault: Vault,
    pub(crate) session: Session,
}

impl Owned {
    pub(crate) fn new() -> Owned {
        let folder = Folder::new();
        let vault = Vault::at(folder.path("vault"));
        let identity = Identity::random().expect("random");
        identity.write(&folder.path("key")).expect("a keyfile");
        vault.create(&[NewSlot::Keyfile(identity)]).expect("a vault");
        let session = vault.unlock(&Credential::Keyfile(folder.path("key"))).expect("unlocked");
        Owned { folder, vault, session }
    }

    /// A vault with these secrets, the value of each being `value of <name>`.
    pub(crate) fn with(names: &[&str]) -> Owned {
        let owned = Owned::new();
        for each in names {
            owned.store(each, &format!("value of {each}"));
        }
        owned
    }

    #[track_caller]
    pub(crate) fn store(&self, at: &str, value: &str) {
        put(&self.session, at, value, Overwrite::NewVersion).expect("stored");
    }

    /// Another session of the owner, as another process has it.
    pub(crate) fn again(&self) -> Session {
        self.vault.unlock(&Credential::Keyfile(self.folder.path("key"))).expect("unlocked")
    }

    pub(crate) fn policy(&self, policy: &str, allow: &[&str], deny: &[&str]) {
        let own = |patterns: &[&str]| patterns.iter().map(|each| (*each).to_owned()).collect();
        let name = PolicyName::new(policy).expect("a name");
        let new = NewPolicy { name, description: None, allow: own(allow), deny: own(deny), run_only: false };
        self.session.create_policy(&new).expect("a policy");
    }

    pub(crate) fn grant(&self, policy: &str, capabilities: &str) -> IssuedGrant {
        let capabilities: Capabilities = capabilities.parse().expect("capabilities");
        let policy = PolicyName::new(policy).expect("a name");
        let new = NewGrant { capabilities, ..NewGrant::for_agent("an agent", policy) };
        self.session.create_grant(&new).expect("a grant")
    }

    pub(crate) fn held(&self, grant: &IssuedGrant) -> Session {
        self.vault.unlock(&Credential::Token(grant.token.clone())).expect("unlocked by the token")
    }

    #[track_caller]
    pub(crate) fn set(&self, at: &str, attributes: &Attributes) {
        self.session.set_attributes(&name(at), attributes).expect("set");
    }

    /// All of the vault as it is on the disk: closed, with everything in one file.
    pub(crate) fn into_file(self) -> (Folder, PathBuf) {
        let file = self.vault.file();
        drop(self.session);
        assert!(!wal(&file).exists(), "the last to close puts the log away");
        (self.folder, file)
    }
}

pub(crate) fn wal(file: &Path) -> PathBuf {
    file.with_extension("db-wal")
}

pub(crate) fn name(text: &str) -> SecretName {
    SecretName::new(text).expect("a name")
}

pub(crate) fn put(session: &Session, at: &str, value: &str, overwrite: Overwrite) -> Result<u32, Error> {
    let value = SecretValue::new(value).expect("a value");
    session.store(&NewSecret { name: name(at), value, attributes: None }, overwrite)
}

pub(crate) fn get(session: &Session, at: &str) -> Result<String, Error> {
    let value = session.get(&name(at), Consent::Unasked)?;
    Ok(value.as_text().expect("text").to_owned())
}

pub(crate) fn names(session: &Session) -> Vec<String> {
    session.list(None).expect("a list").into_iter().map(String::from).collect()
}

/// The words of a refusal.
#[track_caller]
pub(crate) fn refused<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => panic!("this must be refused"),
        Err(error) => error.to_string(),
    }
}
