//! The keys of model providers, kept in the vault.

use std::ffi::OsString;
use std::sync::OnceLock;

use deskmate::keys::VaultKeys;
use models::{Keys, Provider};

use crate::vault::Home;

/// What the process of this test would have in its environment; tests in one process each have their own.
macro_rules! environment {
    ($($name:literal = $value:expr),*) => {{
        static VARIABLES: OnceLock<Vec<(&'static str, OsString)>> = OnceLock::new();
        VARIABLES.set(vec![$(($name, $value.into())),*]).expect("once");
        |name: &str| {
            let known = VARIABLES.get()?.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| value.clone())
        }
    }};
}
