//! Models that look at pictures, behind one request and one answer.
//!
//! ```text
//! Request ─ Models::ask ─┬─ wire: the provider's words ─ fetch ─ wire ─┬─ Answer
//!                        └─ Keys: whoever has the key                  └─ ModelError, said plainly
//! ```
//!
//! A [`Provider`] says whom to ask; its address, model and parameters are [`Settings`], which a person can change. Keys come
//! from a [`Keys`] the binary composes, and are in no message and no log. Dropping the future of [`Models::ask`] ends the
//! call.

mod answer;
mod client;
mod error;
mod events;
mod keys;
mod provider;
mod redact;
mod request;
mod retry;
mod settings;
mod wire;

/// What a reading of a picture begins with where no model was asked, so that nobody takes it for more than it is.
pub const HONEST: &str = "No vision model looked at this: it is a reading on this machine of text, colours and geometry, without understanding.";

pub use answer::{Answer, Finish, Usage};
pub use client::{Heard, Listener, Models};
pub use error::{ModelError, Refusal};
pub use keys::{EnvironmentKeys, Key, KeyError, Keys, KeysInOrder};
pub use provider::{Intake, Provider, UnknownProvider};
pub use request::{Media, Part, Request};
pub use settings::{Endpoint, OpenAiApi, Sampling, Settings, SettingsError};
