//! What the tools that use secrets without showing them have in common: who must agree, and which values they get.

use ::mcp::{Cx, Fail, InputRequest, Stop};

use crate::approval::readable;
use crate::error::Error;
use crate::name::SecretName;
use crate::scrub::{Captured, Secret};
use crate::secret::{Consent, SecretInfo};
use crate::session::Session;
use crate::value::SecretValue;

/// Secrets a tool is about to use.
pub(super) struct Wanted {
    infos: Vec<SecretInfo>,
}

/// Their values.
pub(super) struct Values(Vec<(SecretName, SecretValue)>);

/// The most secrets one call uses.
pub(super) const MOST: usize = 16;

impl Wanted {
    /// Looks up what their owner says about them. A name that comes twice is one secret.
    pub(super) fn find<'a>(
        session: &Session,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Wanted, Fail> {
        let mut infos: Vec<SecretInfo> = Vec::new();
        for name in names {
            let name = SecretName::new(name).map_err(Error::from)?;
            if infos.iter().all(|info| info.name != name) {
                infos.push(session.usable(&name)?);
            }
        }
        if infos.len() > MOST {
            return Err(Fail::arguments(format!("at most {MOST} secrets are used at once; use fewer")));
        }
        Ok(Wanted { infos })
    }

    pub(super) fn infos(&self) -> &[SecretInfo] {
        &self.infos
    }

    /// Asks the person where a secret wants it, and then gets the values. A client that cannot ask leaves a request behind
    /// instead, which `authy approve` answers; the error says so.
    pub(super) fn values(&self, session: &Session, cx: &Cx, purpose: &str) -> Result<Values, Stop> {
        let asking = self.infos.iter().filter(|info| info.attributes.approve_each_use);
        let asking: Vec<&str> = asking.map(|info| info.name.as_str()).collect();
        let mut consent = Consent::Unasked;
        if !asking.is_empty() {
            let message = format!("May an agent use `{}` to {}?", asking.join("`, `"), readable(purpose));
            // Whoever holds the token can be the client, and answer itself: so only where the owner allows it.
            if session.may_ask_client() && cx.can_request(&InputRequest::confirm(&message)) {
                if !cx.approval("use", &message)? {
                    let refused =
                        format!("the use of `{}` was not approved; do without it", asking.join("`, `"));
                    return Err(Fail::new(refused).into());
                }
                consent = Consent::Asked;
            }
        }
        let names: Vec<SecretName> = self.infos.iter().map(|info| info.name.clone()).collect();
        let values = session.use_values(&names, purpose, consent)?;
        Ok(Values(names.into_iter().zip(values).collect()))
    }
}

impl Values {
    /// One of them.
    pub(super) fn get(&self, name: &str) -> Result<Secret<'_>, Fail> {
        let found = self.iter().find(|secret| secret.name == name);
        found.ok_or_else(|| Fail::new(format!("there is no value for `{name}`; name a secret of the vault")))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Secret<'_>> {
        self.0.iter().map(|(name, value)| Secret { name: name.as_str(), value: value.as_bytes() })
    }
}

/// What was printed or answered, as text under a heading.
pub(super) fn section(heading: &str, captured: &Captured) -> String {
    match captured {
        Captured::Withheld => {
            format!("{heading}: withheld, as a value that could be in it is too short to be found")
        }
        Captured::Shown { bytes, .. } if bytes.is_empty() => format!("{heading}: empty"),
        Captured::Shown { bytes, cut } => {
            let note = if *cut { format!(" (the first {} bytes)", bytes.len()) } else { String::new() };
            format!("{heading}{note}:\n{}", String::from_utf8_lossy(bytes))
        }
    }
}
