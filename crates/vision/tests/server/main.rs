//! The server `zai-mcp-server` in this process.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod rebinding;
mod surface;
