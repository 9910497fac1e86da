//! The scenarios of the server `authy`, through the real `authy serve --mcp`, and several processes on one vault.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod attacks;
mod embedded;
mod processes;
mod protocol;
mod tools;
mod vault;
