//! MCP over HTTP as a client sees it: a real listener, raw requests, both eras.
#![allow(clippy::expect_used, clippy::panic)]
// `modern(1, "tools/call", json!({ … }))` reads better without `&`.
#![allow(clippy::needless_pass_by_value)]

mod asking;
mod batches;
mod bounds;
mod browsers;
mod cancelling;
mod host;
mod modern;
mod posting;
mod raw;
mod refusing;
mod sessions;
mod speaking;
mod standing;
mod streams;
mod subscriptions;
