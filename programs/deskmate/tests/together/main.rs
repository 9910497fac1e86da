//! Several programs together, each the real one. They have to be built: `cargo build --workspace --bins`.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

#[path = "../scenarios/binary.rs"]
#[allow(dead_code, reason = "shared with the other tests of the command")]
mod binary;
mod command_lines;
mod cookbook;
mod documents;
#[path = "../scenarios/http.rs"]
#[allow(dead_code, reason = "shared with the other tests of the command")]
mod http;
mod vault_keys;
