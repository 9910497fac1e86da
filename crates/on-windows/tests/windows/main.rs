//! The programs on Windows: the .exe files themselves, started as clients start them. `./dev windows` builds them first.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod application;
mod apps;
mod bridge;
mod capture;
mod http;
mod installer;
mod paths;
mod pdf;
mod programs;
mod running;
mod vault;
