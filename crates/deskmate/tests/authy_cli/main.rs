//! The `authy` command as people and scripts see it.

mod approvals;
mod audit;
mod backup;
mod codes;
mod completions;
mod doctor;
mod environment;
mod grants;
mod home;
mod imports;
mod init;
mod policies;
mod rekey;
mod run;
mod secrets;
mod serve;
mod terminal;
