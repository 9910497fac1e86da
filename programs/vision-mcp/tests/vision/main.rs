//! The scenarios of the server `zai-mcp-server`, through the real `vision-mcp`, against a provider that is a stub.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]
#![allow(clippy::needless_pass_by_value, reason = "`call(\"tool\", json!({ … }))` reads better without `&`")]

mod built_in;
mod calls;
mod files;
mod frames;
mod hostile;
#[cfg(feature = "keychain")]
mod keychain;
mod listing;
mod local;
mod media;
mod memory;
mod paper;
mod pdf;
mod redact;
mod upstream;
mod vision;
