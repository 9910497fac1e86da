//! `AuthyClient`: the vault for programs, in a few calls.

use std::collections::BTreeMap;
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::audit::AuditEntry;
use crate::credential::Credential;
use crate::error::Result;
use crate::session::Session;
use crate::value::SecretValue;
use crate::vault::Vault;

/// A vault and how to unlock it. It is unlocked at the first call that needs it, and once.
pub struct AuthyClient {
    vault: Vault,
    credential: Credential,
}

#[allow(unused_variables, missing_docs, dead_code)]
impl AuthyClient {
    pub fn new(vault: Vault, credential: Credential) -> AuthyClient {
        todo!()
    }
    pub fn with_passphrase(passphrase: &str) -> Result<AuthyClient> {
        todo!()
    }
    pub fn with_keyfile(path: impl Into<PathBuf>) -> Result<AuthyClient> {
        todo!()
    }
    pub fn with_token(token: &str) -> Result<AuthyClient> {
        todo!()
    }
    pub fn from_env() -> Result<AuthyClient> {
        todo!()
    }
    pub fn with_actor(self, actor: &str) -> AuthyClient {
        todo!()
    }
    pub fn vault(&self) -> &Vault {
        &self.vault
    }
    pub fn session(&self) -> Result<Session> {
        todo!()
    }
    pub fn is_initialized(&self) -> bool {
        self.vault.exists()
    }
    pub fn init_vault(&self) -> Result<()> {
        todo!()
    }
    pub fn get(&self, name: &str) -> Result<Option<SecretValue>> {
        todo!()
    }
    pub fn get_or_err(&self, name: &str) -> Result<SecretValue> {
        todo!()
    }
    pub fn store(&self, name: &str, value: &str, force: bool) -> Result<()> {
        todo!()
    }
    pub fn remove(&self, name: &str) -> Result<bool> {
        todo!()
    }
    pub fn rotate(&self, name: &str, value: &str) -> Result<u32> {
        todo!()
    }
    pub fn list(&self, scope: Option<&str>) -> Result<Vec<String>> {
        todo!()
    }
    pub fn test_policy(&self, scope: &str, name: &str) -> Result<bool> {
        todo!()
    }
    pub fn create_policy(
        &self,
        name: &str,
        allow: &[&str],
        deny: &[&str],
        description: Option<&str>,
        run_only: bool,
    ) -> Result<()> {
        todo!()
    }
    pub fn build_env_map(
        &self,
        scope: &str,
        uppercase: bool,
        replace_dash: Option<char>,
    ) -> Result<BTreeMap<String, Zeroizing<String>>> {
        todo!()
    }
    pub fn audit_entries(&self) -> Result<Vec<AuditEntry>> {
        todo!()
    }
    pub fn verify_audit_chain(&self) -> Result<(u64, bool)> {
        todo!()
    }
}
