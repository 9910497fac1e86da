//! What a session may do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One thing a session may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// See names and attributes.
    List,
    /// Use values in commands and requests, without seeing them.
    Use,
    /// See values.
    Reveal,
    /// Store and change secrets.
    Store,
    /// Remove secrets.
    Remove,
    /// Look for values in files. Off unless the owner says otherwise: who may ask where a value is can guess it.
    Scan,
    /// What only the owner may: policies, grants, rules, keys. No grant has it: it would be the owner by another name.
    Admin,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Capability; 7] = [
        Capability::List,
        Capability::Use,
        Capability::Reveal,
        Capability::Store,
        Capability::Remove,
        Capability::Scan,
        Capability::Admin,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Capability::List => "list",
            Capability::Use => "use",
            Capability::Reveal => "reveal",
            Capability::Store => "store",
            Capability::Remove => "remove",
            Capability::Scan => "scan",
            Capability::Admin => "admin",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Capability::List => 1,
            Capability::Use => 2,
            Capability::Reveal => 4,
            Capability::Store => 8,
            Capability::Remove => 16,
            Capability::Admin => 32,
            Capability::Scan => 64,
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of capabilities. As text: their names with commas between them.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Capabilities(u8);

/// Not the name of a capability that can be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownCapability {
    /// There is none of this name.
    #[error("there is no capability `{0}`; there are: list, use, reveal, store, remove, scan")]
    None(String),
    /// It stays with the owner.
    #[error(
        "`admin` is not given to a grant: it would be the owner by another name; give whoever it is for a key of their \
         own with `authy rekey --add`"
    )]
    Admin,
}

impl Capabilities {
    /// What an agent gets unless the owner says otherwise: names, and use without sight.
    pub const AGENT: Capabilities = Capabilities(Capability::List.bit() | Capability::Use.bit());

    /// What the owner has.
    pub const OWNER: Capabilities = Capabilities(127);

    /// The set of these.
    pub fn of(capabilities: impl IntoIterator<Item = Capability>) -> Capabilities {
        Capabilities(capabilities.into_iter().fold(0, |bits, capability| bits | capability.bit()))
    }

    /// Whether it is in the set.
    pub const fn has(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }

    /// The set without one of them.
    pub const fn without(self, capability: Capability) -> Capabilities {
        Capabilities(self.0 & !capability.bit())
    }

    /// Those that were named, in order.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(move |capability| self.0 & capability.bit() != 0)
    }
}

impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, capability) in self.iter().enumerate() {
            write!(f, "{}{capability}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capabilities({self})")
    }
}

impl FromStr for Capabilities {
    type Err = UnknownCapability;
    fn from_str(text: &str) -> Result<Capabilities, UnknownCapability> {
        let named = |name: &str| {
            Capability::ALL
                .into_iter()
                .find(|capability| capability.as_str() == name)
                .ok_or_else(|| UnknownCapability::None(name.to_owned()))
                .and_then(|found| match found {
                    Capability::Admin => Err(UnknownCapability::Admin),
                    other => Ok(other),
                })
        };
        let all = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        all.map(named).collect::<Result<Vec<_>, _>>().map(Capabilities::of)
    }
}

impl TryFrom<String> for Capabilities {
    type Error = UnknownCapability;
    fn try_from(text: String) -> Result<Capabilities, UnknownCapability> {
        text.parse()
    }
}

impl From<Capabilities> for String {
    fn from(capabilities: Capabilities) -> String {
        capabilities.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Capabilities, Capability, UnknownCapability};

    #[test]
    fn a_set_reads_back_what_it_prints() {
        let set: Capabilities = "use, list".parse().expect("known");
        assert_eq!((set, set.to_string().as_str()), (Capabilities::AGENT, "list,use"));
        assert!("list,peek".parse::<Capabilities>().is_err());
    }

    #[test]
    fn an_agent_sees_no_value_and_nobody_is_given_what_only_the_owner_may() {
        assert!(!Capabilities::AGENT.has(Capability::Reveal) && !Capabilities::AGENT.has(Capability::Scan));
        assert!(Capability::ALL.into_iter().all(|each| Capabilities::OWNER.has(each)));
        assert_eq!("list,admin".parse::<Capabilities>(), Err(UnknownCapability::Admin));
    }
}
