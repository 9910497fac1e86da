//! What every engine must do, run on each of them.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod engines;
mod families;
mod finding;
mod isolation;
mod plans;
mod recipes;
mod secrets;
mod transfer;
mod walls;
mod writing;
