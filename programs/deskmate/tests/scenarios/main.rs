//! Deskmate as its users and their clients see it: through the real binary.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod arguments;
mod binary;
mod budget;
mod bundle;
mod call;
mod connect;
mod dashboard;
mod doctor;
mod grants;
mod help;
mod home;
mod hostile_files;
mod http;
mod info;
mod one_instance;
mod overview;
mod serve;
mod service;
mod siege;
mod stdio;
mod surface;
mod tools;
