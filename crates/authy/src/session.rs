//! A session: an unlocked vault, or the part of it that a grant opens.

use std::io::Write;
use std::sync::Arc;

use crate::approval::{ApprovalId, Decision, PendingApproval};
use crate::audit::{AuditEntry, AuditReport};
use crate::capability::{Capabilities, Capability};
use crate::error::Result;
use crate::grant::{GrantInfo, IssuedGrant, NewGrant};
use crate::name::{GrantId, PolicyName, SecretName};
use crate::policy::{NewPolicy, Policy, PolicyChange};
use crate::secret::{Attributes, Consent, NewSecret, Overwrite, SecretInfo, VersionInfo};
use crate::slot::{NewSlot, SlotInfo};
use crate::value::SecretValue;

/// What reads and writes secrets. Clones are cheap and share one connection; it may be used from any thread.
#[derive(Clone)]
pub struct Session {
    inner: Arc<()>,
}

#[allow(unused_variables, missing_docs)]
impl Session {
    pub fn with_actor(&self, via: &str) -> Session {
        todo!()
    }
    pub fn capabilities(&self) -> Capabilities {
        todo!()
    }
    pub fn require(&self, capability: Capability) -> Result<()> {
        todo!()
    }
    pub fn grant(&self) -> Option<GrantInfo> {
        todo!()
    }
    pub fn get(&self, name: &SecretName, consent: Consent) -> Result<SecretValue> {
        todo!()
    }
    pub fn get_version(&self, name: &SecretName, version: u32, consent: Consent) -> Result<SecretValue> {
        todo!()
    }
    pub fn use_value(&self, name: &SecretName, purpose: &str, consent: Consent) -> Result<SecretValue> {
        todo!()
    }
    pub fn info(&self, name: &SecretName) -> Result<SecretInfo> {
        todo!()
    }
    pub fn list(&self, scope: Option<&PolicyName>) -> Result<Vec<SecretName>> {
        todo!()
    }
    pub fn infos(&self, scope: Option<&PolicyName>) -> Result<Vec<SecretInfo>> {
        todo!()
    }
    pub fn store(&self, secret: &NewSecret, overwrite: Overwrite) -> Result<u32> {
        todo!()
    }
    pub fn store_many(&self, secrets: &[NewSecret], overwrite: Overwrite) -> Result<()> {
        todo!()
    }
    pub fn rotate(&self, name: &SecretName, value: &SecretValue) -> Result<u32> {
        todo!()
    }
    pub fn remove(&self, name: &SecretName) -> Result<bool> {
        todo!()
    }
    pub fn set_attributes(&self, name: &SecretName, attributes: &Attributes) -> Result<()> {
        todo!()
    }
    pub fn history(&self, name: &SecretName) -> Result<Vec<VersionInfo>> {
        todo!()
    }
    pub fn rollback(&self, name: &SecretName, version: u32) -> Result<u32> {
        todo!()
    }
    pub fn policies(&self) -> Result<Vec<Policy>> {
        todo!()
    }
    pub fn policy(&self, name: &PolicyName) -> Result<Policy> {
        todo!()
    }
    pub fn create_policy(&self, policy: &NewPolicy) -> Result<()> {
        todo!()
    }
    pub fn update_policy(&self, name: &PolicyName, change: &PolicyChange) -> Result<()> {
        todo!()
    }
    pub fn remove_policy(&self, name: &PolicyName) -> Result<()> {
        todo!()
    }
    pub fn test_policy(&self, policy: &PolicyName, name: &SecretName) -> Result<bool> {
        todo!()
    }
    pub fn grants(&self) -> Result<Vec<GrantInfo>> {
        todo!()
    }
    pub fn create_grant(&self, grant: &NewGrant) -> Result<IssuedGrant> {
        todo!()
    }
    pub fn revoke_grant(&self, id: GrantId) -> Result<()> {
        todo!()
    }
    pub fn revoke_all_grants(&self) -> Result<usize> {
        todo!()
    }
    pub fn slots(&self) -> Result<Vec<SlotInfo>> {
        todo!()
    }
    pub fn add_slot(&self, slot: &NewSlot) -> Result<SlotInfo> {
        todo!()
    }
    pub fn remove_slot(&self, id: i64) -> Result<()> {
        todo!()
    }
    pub fn rotate_vault_key(&self) -> Result<()> {
        todo!()
    }
    pub fn audit_entries(&self, newest: Option<usize>) -> Result<Vec<AuditEntry>> {
        todo!()
    }
    pub fn export_audit(&self, to: &mut dyn Write) -> Result<u64> {
        todo!()
    }
    pub fn verify_audit(&self) -> Result<AuditReport> {
        todo!()
    }
    pub fn approvals(&self) -> Result<Vec<PendingApproval>> {
        todo!()
    }
    pub fn decide(&self, id: ApprovalId, decision: Decision) -> Result<()> {
        todo!()
    }
}
