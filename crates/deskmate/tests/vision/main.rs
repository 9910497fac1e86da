//! The scenarios of the server `zai-mcp-server`, through the real commands, against a provider that is a stub.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]
#![allow(clippy::needless_pass_by_value, reason = "`call(\"tool\", json!({ … }))` reads better without `&`")]

#[path = "../scenarios/binary.rs"]
#[allow(dead_code, reason = "shared with the tests of the command")]
mod binary;
mod built_in;
mod calls;
mod files;
mod frames;
mod hostile;
#[path = "../scenarios/http.rs"]
#[allow(dead_code, reason = "shared with the tests of the command")]
mod http;
#[cfg(feature = "keychain")]
mod keychain;
mod listing;
mod local;
mod media;
mod paper;
mod pdf;
mod protocol;
mod sessions;
mod upstream;
mod vision;
