//! Vaults to measure with.

use std::path::{Path, PathBuf};

use authy::import::{Names, dotenv, name_all};
use authy::{AuthyClient, Credential, Overwrite, Session, Vault};

use crate::Result;

/// A vault with a keyfile beside it.
pub(crate) struct Bench {
    pub(crate) vault: Vault,
    pub(crate) keyfile: PathBuf,
}

impl Bench {
    pub(crate) fn new(scratch: &Path, name: &str) -> Result<Bench> {
        let folder = scratch.join(name);
        std::fs::create_dir_all(&folder)?;
        let bench = Bench { vault: Vault::at(folder.join("vault")), keyfile: folder.join("key") };
        bench.client().init_vault()?;
        Ok(bench)
    }

    /// One with so many secrets.
    pub(crate) fn filled(scratch: &Path, secrets: usize) -> Result<Bench> {
        let bench = Bench::new(scratch, &format!("of-{secrets}"))?;
        import(&bench.client().session()?, &lines(secrets))?;
        Ok(bench)
    }

    pub(crate) fn client(&self) -> AuthyClient {
        AuthyClient::new(self.vault.clone(), Credential::Keyfile(self.keyfile.clone()))
    }
}

/// The name of a secret in them.
pub(crate) fn name(number: usize) -> String {
    format!("service-{number}-api-key")
}

/// Secrets as a dotenv file has them.
pub(crate) fn lines(secrets: usize) -> String {
    (0..secrets).map(|number| format!("SERVICE_{number}_API_KEY=value-{number:032}\n")).collect()
}

/// As `authy import` does it.
pub(crate) fn import(session: &Session, lines: &str) -> Result<()> {
    let secrets = name_all(dotenv(lines)?, Names::Kebab, "")?;
    Ok(session.store_many(&secrets, Overwrite::Refuse)?)
}
