//! A vault for a test, and a grant on all of it.

use std::path::{Path, PathBuf};

use super::Session;
use crate::capability::{Capabilities, Capability};
use crate::grant::{IssuedGrant, NewGrant};
use crate::keys::Identity;
use crate::name::PolicyName;
use crate::policy::NewPolicy;
use crate::slot::NewSlot;
use crate::vault::Vault;

/// A folder that is gone with this.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("authy-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Scratch(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// A new vault, open to its owner.
    pub(super) fn vault(&self) -> (Vault, Session) {
        let vault = Vault::at(self.0.join("vault"));
        let owner = vault.create(&[NewSlot::Keyfile(Identity::random().expect("random"))]).expect("a vault");
        (vault, owner)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes the policy `all`, which covers every name.
pub(super) fn policy_for_all(owner: &Session) -> PolicyName {
    let name = PolicyName::new("all").expect("a name");
    let new = NewPolicy {
        name: name.clone(),
        description: None,
        allow: vec!["*".into()],
        deny: Vec::new(),
        run_only: false,
    };
    owner.create_policy(&new).expect("a policy");
    name
}

/// A grant on a policy.
pub(super) fn grant<const N: usize>(
    owner: &Session,
    policy: &PolicyName,
    can: [Capability; N],
) -> IssuedGrant {
    let capabilities = Capabilities::of(can);
    owner
        .create_grant(&NewGrant { capabilities, ..NewGrant::for_agent("x", policy.clone()) })
        .expect("a grant")
}
