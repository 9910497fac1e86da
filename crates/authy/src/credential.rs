//! What unlocks a vault.

use std::ffi::OsString;
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::error::Result;
use crate::keys::{RecoveryCode, Token};

/// What unlocks a vault, or a part of it.
#[derive(Clone)]
pub enum Credential {
    /// The owner's passphrase.
    Passphrase(Zeroizing<String>),
    /// A file with the owner's age identity.
    Keyfile(PathBuf),
    /// The code that was printed when the vault was made. The keychain holds one, too.
    Recovery(RecoveryCode),
    /// A grant's token: opens the grant's part and no more.
    Token(Token),
}

impl Credential {
    /// What the environment says: `AUTHY_TOKEN` before `AUTHY_TOKEN_FILE`, `AUTHY_KEYFILE` and `AUTHY_PASSPHRASE`. A token
    /// wins, so that a server that was given one never does more than the token allows.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Credential>> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let text = |value: OsString| Zeroizing::new(value.to_string_lossy().into_owned());
        if let Some(token) = set("AUTHY_TOKEN") {
            return Token::parse(&text(token)).map(Credential::Token).map(Some);
        }
        if let Some(path) = set("AUTHY_TOKEN_FILE") {
            return Token::read(&PathBuf::from(path)).map(Credential::Token).map(Some);
        }
        if let Some(path) = set("AUTHY_KEYFILE") {
            return Ok(Some(Credential::Keyfile(path.into())));
        }
        Ok(set("AUTHY_PASSPHRASE").map(|passphrase| Credential::Passphrase(text(passphrase))))
    }
}
