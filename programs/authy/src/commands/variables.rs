//! Secrets as variables, for `run`, `env` and `export`.

use std::collections::BTreeMap;

use authy::variables::{Letters, Naming};
use authy::{PolicyName, SecretName, SecretValue, Session};

use super::desk;
use super::failure::Failure;
use super::get;

#[derive(clap::Args)]
pub(super) struct NamingArgs {
    /// Write the names of variables in capitals
    #[arg(long)]
    uppercase: bool,
    /// What stands for `-`, `.` and `/` in the names of variables
    #[arg(long, value_name = "C", default_value_t = '_')]
    replace_dash: char,
    /// What stands before the names of variables
    #[arg(long, value_name = "TEXT", default_value = "")]
    prefix: String,
}

impl NamingArgs {
    fn naming(&self) -> Naming {
        let letters = if self.uppercase { Letters::Capitals } else { Letters::Kept };
        Naming { letters, dash: self.replace_dash, prefix: self.prefix.clone() }
    }

    /// The variables of all secrets in a scope, and which secret each one is.
    pub(super) fn variables(
        &self,
        session: &Session,
        scope: Option<&PolicyName>,
    ) -> Result<BTreeMap<String, SecretName>, Failure> {
        Ok(self.naming().variables(session.list(scope)?)?)
    }
}

/// Values by variable, to be shown.
pub(super) fn reveal(
    session: &Session,
    scope: Option<&PolicyName>,
    variables: BTreeMap<String, SecretName>,
) -> Result<BTreeMap<String, SecretValue>, Failure> {
    let value = |(variable, name): (String, SecretName)| {
        if let Some(scope) = scope {
            get::check_reveals(session, scope, &name)?;
        }
        let consent = desk::consent(session, &name, "showing it")?;
        Ok((variable, session.get(&name, consent)?))
    };
    variables.into_iter().map(value).collect()
}
