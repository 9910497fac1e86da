//! The scenarios of the server `MetaTagGenie`, through the real `metatag-genie`, on pictures made here.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod codes;
mod conventions;
mod exiftool;
mod genie;
mod heic;
mod kill;
mod parameters;
mod pictures;
mod result;
mod tool;
