//! The scenarios of the server `MetaTagGenie`, through the real `metatag-genie`, on pictures made here.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod batch;
mod beside;
mod codes;
mod command_line;
mod conventions;
mod exiftool;
mod fields;
mod formats;
mod genie;
mod heic;
mod hostile;
mod kill;
mod parameters;
mod pictures;
mod preview;
mod read;
mod remove;
mod result;
mod tool;
mod undo;
