//! The `authy` command as people and scripts see it.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod approvals;
mod attacks;
mod audit;
mod backup;
mod children;
mod codes;
mod completions;
mod doctor;
mod environment;
mod grants;
mod home;
mod imports;
mod init;
#[cfg(feature = "keychain")]
mod keychain;
mod policies;
mod rekey;
mod run;
mod secrets;
mod serve;
mod terminal;
mod upgrade;
