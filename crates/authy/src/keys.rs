//! Keys: how they are made, wrapped and sealed, and the forms in which people keep them.

mod bundle;
pub(crate) mod crypto;
mod keyfile;
pub(crate) mod pack;
mod passphrase;
mod recovery;
mod root;
pub(crate) mod sealing;
pub(crate) mod signing;
mod token;
#[cfg(test)]
mod vectors;

pub(crate) use bundle::{Bundle, Terms};
pub(crate) use crypto::{Key, Place};
pub use keyfile::Identity;
pub(crate) use keyfile::recipient;
pub(crate) use passphrase::Stretching;
pub use recovery::RecoveryCode;
pub(crate) use root::{KnownSlot, LogKeys, Root};
pub use token::Token;
