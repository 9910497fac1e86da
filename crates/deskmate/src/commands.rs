//! The command lines of single servers. The work is done by the servers' libraries; here are words, files and printing.

pub mod authy;
pub mod metatag_genie;
pub mod recipe_vault;
