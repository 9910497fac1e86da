//! The rules of the repository that no compiler checks, one module each.
//!
//! Every check is a function from what it looks at to a list of [`problem::Problem`]s, so that each module can show on
//! a bad example that it finds what it should.

#![allow(
    clippy::expect_used,
    reason = "a check that cannot read the repository has failed; the message says why"
)]

mod binaries;
mod crates;
mod dependencies;
mod desktop;
mod licences;
mod metadata;
mod modules;
mod names;
mod problem;
mod programs;
mod promises;
mod ran;
mod repository;
mod scenarios;
mod sizes;
mod spdx;
mod systems;
mod test_names;
mod words;
