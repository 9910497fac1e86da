//! Keys: how they are made, wrapped and sealed, and the forms in which people keep them.

pub(crate) mod crypto;
mod keyfile;
mod passphrase;
mod recovery;
pub(crate) mod sealing;
mod token;

pub(crate) use crypto::{Key, Place};
pub use keyfile::Identity;
pub(crate) use passphrase::Stretching;
pub use recovery::RecoveryCode;
pub use token::Token;
