//! The vault through its public surface.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod attacks;
mod audit;
mod damage;
mod folder;
mod grants;
mod keys;
mod refusing;
mod secrets;
