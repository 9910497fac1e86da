//! What the server is told from outside, and when it looks.

use std::ffi::OsString;

use crate::client::AuthyClient;
use crate::credential::Credential;
use crate::error::Result;
use crate::vault::Vault;

/// Where the server gets its vault and its credentials from.
pub enum Config {
    /// From variables, read at the first call that needs them.
    Environment(fn(&str) -> Option<OsString>),
    /// From the program it is part of, or nowhere.
    Client(Option<AuthyClient>),
}

impl Config {
    /// What this process's environment says.
    pub fn from_environment() -> Config {
        Config::Environment(|name| std::env::var_os(name))
    }

    /// The vault whose grants are served to those who come over the network.
    pub(crate) fn vault(&self) -> Result<Option<Vault>> {
        match self {
            Config::Environment(variable) => Vault::from_environment(variable).map(Some),
            Config::Client(client) => Ok(client.as_ref().map(|client| client.vault().clone())),
        }
    }

    /// The vault with the credential of this process, if it has one.
    pub(crate) fn client(variable: fn(&str) -> Option<OsString>) -> Result<Option<AuthyClient>> {
        match Credential::from_environment(variable)? {
            None => Ok(None),
            Some(credential) => Ok(Some(AuthyClient::new(Vault::from_environment(variable)?, credential))),
        }
    }
}
