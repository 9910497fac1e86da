//! For tests only: a client that speaks every revision, transcripts, and snapshots of what clients see.
//!
//! A test kit fails by panicking, with a message that says what was expected.
#![allow(clippy::expect_used, clippy::panic)]
// `call("echo", json!({ … }))` reads better without `&`.
#![allow(clippy::needless_pass_by_value)]

mod client;
pub mod far;
pub mod fixture;
mod folder;
mod memory;
mod pipes;
mod program;
pub mod surface;
mod sys;
pub mod transcript;

pub use client::{Client, Goodbye};
pub use folder::Folder;
pub use memory::Memory;
pub use program::program;
