//! What the person forbade a relay. It travels with each call and is joined with what the host forbids.

use mcp::{Cx, Fail, code};
use serde::{Deserialize, Serialize};

use super::RESTRICTIONS;
use crate::agent::Limits;

/// More than anybody excludes.
const MOST_EXCLUDED: usize = 1_000;

/// What is forbidden. A host that does not know one of them refuses the call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Restrictions {
    /// Windows that are left out of every picture, by a part of their title or class.
    pub exclude: Vec<String>,
    /// Nothing but reading.
    pub read_only: bool,
    /// Takes what is private out of every picture before a model gets it.
    pub redact: bool,
}

impl Restrictions {
    /// Those that came with a call.
    pub(super) fn of(cx: &Cx) -> Result<Restrictions, Fail> {
        let given = cx.meta::<Restrictions>(RESTRICTIONS).map_err(|fail| refused(fail.message()))?;
        let restrictions = given.unwrap_or_default();
        if restrictions.exclude.len() > MOST_EXCLUDED {
            return Err(refused(&format!("more than {MOST_EXCLUDED} windows are excluded")));
        }
        Ok(restrictions)
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { exclude: self.exclude.clone(), redact: self.redact }
    }
}

fn refused(reason: &str) -> Fail {
    let message = format!(
        "Fotos {} does not know a restriction that came with this call, and so does not serve it: {reason}. Update the \
         Fotos application",
        env!("CARGO_PKG_VERSION")
    );
    Fail::rpc(code::UNAVAILABLE, message)
}
