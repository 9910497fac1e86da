//! What is entered: how to start Deskmate.

use serde_json::{Value, json};

/// How a client starts a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the client calls it.
    pub name: String,
    /// The absolute path of the program: clients have search paths of their own.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables it needs. Never a secret.
    pub variables: Vec<(String, String)>,
}

/// One field of an entry, under the name the client has for it.
pub(crate) type Field = (&'static str, Value);

impl Entry {
    /// The name of the program it starts, as [`crate::Found::starts`] compares it.
    pub(crate) fn program(&self) -> &str {
        let name = self.command.rsplit(['/', '\\']).next().unwrap_or_default();
        name.strip_suffix(".exe").unwrap_or(name)
    }

    pub(crate) fn arguments_value(&self) -> Value {
        json!(self.arguments)
    }

    pub(crate) fn variables_value(&self) -> Option<Value> {
        let map = self.variables.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        (!self.variables.is_empty()).then_some(Value::Object(map))
    }
}
