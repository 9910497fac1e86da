//! The server `zai-mcp-server` as a part of `deskmate`, against a provider that is a stub.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

#[path = "../scenarios/binary.rs"]
#[allow(dead_code, reason = "shared with the other tests of the command")]
mod binary;
mod built_in;
#[path = "../scenarios/http.rs"]
#[allow(dead_code, reason = "shared with the other tests of the command")]
mod http;
mod protocol;
mod sessions;

use picture::{Effort, Layout, Picture, encode_png};

/// A picture of 8 by 8 pixels.
fn png() -> Vec<u8> {
    let picture = Picture::new(Layout::Rgb, 8, 8, [200, 30, 30].repeat(64)).expect("a picture");
    encode_png(&picture, Effort::Fast).expect("a PNG").bytes
}
