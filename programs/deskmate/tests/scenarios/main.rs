//! Deskmate as its users and their clients see it: through the real binary.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod arguments;
mod binary;
mod budget;
mod call;
mod connect;
mod grants;
mod help;
mod http;
mod info;
mod one_instance;
mod serve;
mod siege;
mod stdio;
mod surface;
mod tools;
