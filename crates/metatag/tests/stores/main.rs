//! The stores under random wishes and random damage. Everything is seeded: a failure comes back with its number.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod generator;
mod mutations;
mod properties;
mod undo;
