//! Real PostgreSQL servers for tests: started from the packages of the system as a user who is not root, on a Unix socket in
//! a folder of their own, and gone with the process that started them, however that ends.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on has failed, and says why"
)]

mod programs;
mod server;

pub use server::Server;
