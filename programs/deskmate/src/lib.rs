//! Deskmate, put together: which servers there are, how a selection of them becomes one service, and the
//! command that serves, lists and calls their tools.
//!
//! The protocol is the crate `mcp`; the servers are libraries of their own, except [`info`], which is about
//! Deskmate itself. Adding a server is one line in [`servers::ALL`]. Nobody depends on this crate.

pub mod asking;

pub mod bundle;
pub mod client;
pub mod commands;
pub mod dashboard;
pub mod demo;
pub mod doctor;
pub mod entry;
pub mod info;
pub mod programs;
pub mod release;
pub mod servers;
mod sys;
