//! The client against a server of the test, on loopback.
// Helpers of tests are not tests to clippy.
#![allow(clippy::expect_used)]

mod answers;
mod origin;
mod pinning;
mod redirects;
mod retries;
mod tls;
