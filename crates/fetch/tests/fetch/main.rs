//! The client against a server of the test, on loopback.

mod answers;
mod origin;
mod pinning;
mod redirects;
mod retries;
