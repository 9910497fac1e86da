//! `AuthyClient`: the vault for programs, in a few calls.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use zeroize::Zeroizing;

use crate::audit::AuditEntry;
use crate::credential::Credential;
use crate::error::{Error, Result};
use crate::keys::{Identity, Token};
use crate::name::{PolicyName, SecretName};
use crate::policy::NewPolicy;
use crate::secret::{Consent, NewSecret, Overwrite};
use crate::session::Session;
use crate::slot::NewSlot;
use crate::value::SecretValue;
use crate::variables::{Letters, Naming};
use crate::vault::Vault;

/// A vault and how to unlock it. It is unlocked at the first call that needs it, and once.
///
/// ```no_run
/// let client = authy::AuthyClient::from_env()?;
/// client.store("db-url", "postgres://…", false)?;
/// let url = client.get_or_err("db-url")?;
/// # let _ = url;
/// # Ok::<(), authy::Error>(())
/// ```
pub struct AuthyClient {
    vault: Vault,
    credential: Credential,
    actor: Option<String>,
    session: Mutex<Option<Session>>,
}

impl AuthyClient {
    /// A client of this vault.
    pub fn new(vault: Vault, credential: Credential) -> AuthyClient {
        AuthyClient { vault, credential, actor: None, session: Mutex::new(None) }
    }

    /// A client of this user's vault, unlocked by a passphrase.
    pub fn with_passphrase(passphrase: &str) -> Result<AuthyClient> {
        let passphrase = Zeroizing::new(passphrase.to_owned());
        Ok(AuthyClient::new(users_vault()?, Credential::Passphrase(passphrase)))
    }

    /// A client of this user's vault, unlocked by a keyfile.
    pub fn with_keyfile(path: impl Into<PathBuf>) -> Result<AuthyClient> {
        Ok(AuthyClient::new(users_vault()?, Credential::Keyfile(path.into())))
    }

    /// A client of the part of this user's vault that a grant opens.
    pub fn with_token(token: &str) -> Result<AuthyClient> {
        Ok(AuthyClient::new(users_vault()?, Credential::Token(Token::parse(token)?)))
    }

    /// A client as the environment says: `AUTHY_TOKEN`, else `AUTHY_TOKEN_FILE`, `AUTHY_KEYFILE` or
    /// `AUTHY_PASSPHRASE`.
    pub fn from_env() -> Result<AuthyClient> {
        let credential =
            Credential::from_environment(|name| std::env::var_os(name))?.ok_or(Error::NoCredentials)?;
        Ok(AuthyClient::new(users_vault()?, credential))
    }

    /// Says in the audit log who calls.
    pub fn with_actor(mut self, actor: &str) -> AuthyClient {
        self.actor = Some(actor.to_owned());
        self
    }

    /// The vault.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The unlocked vault, for everything this client has no call for.
    pub fn session(&self) -> Result<Session> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = session.as_ref() {
            return Ok(session.clone());
        }
        let opened = self.vault.unlock(&self.credential)?;
        let opened = self.actor.as_deref().map(|actor| opened.with_actor(actor)).unwrap_or(opened);
        Ok(session.insert(opened).clone())
    }

    /// The unlocked vault, if it is unlocked and nobody is about to do so.
    #[cfg(feature = "server")]
    pub(crate) fn open_session(&self) -> Option<Session> {
        self.session.try_lock().ok()?.clone()
    }

    /// Whether there is a vault.
    pub fn is_initialized(&self) -> bool {
        self.vault.exists()
    }

    /// Makes the vault, to be unlocked by what this client has. A keyfile that is not there is made.
    pub fn init_vault(&self) -> Result<()> {
        let slot = match &self.credential {
            Credential::Passphrase(passphrase) => NewSlot::Passphrase(passphrase.clone()),
            Credential::Keyfile(path) if path.exists() => NewSlot::Keyfile(Identity::read(path)?),
            Credential::Keyfile(path) => {
                let identity = Identity::random()?;
                identity.write(path)?;
                NewSlot::Keyfile(identity)
            }
            Credential::Recovery(code) => NewSlot::Recovery(code.clone()),
            Credential::Token(_) => return Err(Error::Lacks(crate::capability::Capability::Admin)),
        };
        self.vault.create(&[slot]).map(|_| ())
    }

    /// The value, or `None` where there is no such secret.
    pub fn get(&self, name: &str) -> Result<Option<SecretValue>> {
        match self.get_or_err(name) {
            Err(Error::NotFound(_)) => Ok(None),
            other => other.map(Some),
        }
    }

    /// The value.
    pub fn get_or_err(&self, name: &str) -> Result<SecretValue> {
        self.session()?.get(&SecretName::new(name)?, Consent::Unasked)
    }

    /// Stores a secret. With `force`, one that is there gets a new version.
    pub fn store(&self, name: &str, value: &str, force: bool) -> Result<()> {
        let overwrite = if force { Overwrite::NewVersion } else { Overwrite::Refuse };
        let secret =
            NewSecret { name: SecretName::new(name)?, value: SecretValue::new(value)?, attributes: None };
        self.session()?.store(&secret, overwrite).map(|_| ())
    }

    /// Removes a secret. Gives whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool> {
        self.session()?.remove(&SecretName::new(name)?)
    }

    /// Gives a secret a new value. Gives the number of its version.
    pub fn rotate(&self, name: &str, value: &str) -> Result<u32> {
        self.session()?.rotate(&SecretName::new(name)?, &SecretValue::new(value)?)
    }

    /// The names, or those that a policy covers, in order.
    pub fn list(&self, scope: Option<&str>) -> Result<Vec<String>> {
        let scope = scope.map(PolicyName::new).transpose()?;
        Ok(self.session()?.list(scope.as_ref())?.into_iter().map(String::from).collect())
    }

    /// Whether a policy covers a name.
    pub fn test_policy(&self, scope: &str, name: &str) -> Result<bool> {
        self.session()?.test_policy(&PolicyName::new(scope)?, &SecretName::new(name)?)
    }

    /// Makes a policy.
    pub fn create_policy(
        &self,
        name: &str,
        allow: &[&str],
        deny: &[&str],
        description: Option<&str>,
        run_only: bool,
    ) -> Result<()> {
        let own = |patterns: &[&str]| patterns.iter().map(|each| (*each).to_owned()).collect();
        self.session()?.create_policy(&NewPolicy {
            name: PolicyName::new(name)?,
            description: description.map(str::to_owned),
            allow: own(allow),
            deny: own(deny),
            run_only,
        })
    }

    /// The values a policy covers by the names of variables, for the environment of a child process. Needs `use`. A dash,
    /// which shells do not know in names, becomes `_` where no other sign is given. A name that would change how programs
    /// run is refused.
    pub fn build_env_map(
        &self,
        scope: &str,
        uppercase: bool,
        replace_dash: Option<char>,
    ) -> Result<BTreeMap<String, Zeroizing<String>>> {
        let session = self.session()?;
        let letters = if uppercase { Letters::Capitals } else { Letters::Kept };
        let naming = Naming { letters, dash: replace_dash.unwrap_or('_'), prefix: String::new() };
        let mut variables = BTreeMap::new();
        for (variable, name) in naming.variables(session.list(Some(&PolicyName::new(scope)?))?)? {
            let value = session.use_value(&name, "the environment of a command", Consent::Unasked)?;
            variables.insert(variable, Zeroizing::new(value.as_text()?.to_owned()));
        }
        Ok(variables)
    }

    /// The audit log, oldest first.
    pub fn audit_entries(&self) -> Result<Vec<AuditEntry>> {
        self.session()?.audit_entries(None)
    }

    /// How many entries of the audit log are as they were written, and whether all are.
    pub fn verify_audit_chain(&self) -> Result<(u64, bool)> {
        let report = self.session()?.verify_audit()?;
        Ok((report.good, report.broken.is_none()))
    }
}

fn users_vault() -> Result<Vault> {
    Vault::from_environment(|name| std::env::var_os(name))
}
