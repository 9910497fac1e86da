//! The family cookbook, for agents and for people.
//!
//! `README.md` of this crate has the data flow and the files. [`store::Store`] is where everything is kept, [`auth`] the
//! only place that makes a [`Scope`], and the domain types are the one validator of every way in.

pub mod auth;
pub mod draft;
pub mod email;
pub mod error;
pub mod family;
pub mod few;
pub mod id;
pub mod ingredient;
pub mod key;
pub mod listing;
pub mod number;
pub mod photo;
pub mod plan;
pub mod recipe;
pub mod record;
pub mod scale;
pub mod search;
pub mod secret;
pub mod session;
pub mod share;
pub mod shopping;
pub mod step;
pub mod store;
pub mod tag;
pub mod text;
pub mod time;
pub mod title;
pub mod unit;

pub use auth::Scope;
pub use error::Error;
pub use store::Store;
