//! What the programs share of the command line: [`terminal`] prints, [`exit`] says how a command ended, [`selection`] leaves
//! tools out, and [`stdio`] serves one server on stdin and stdout.
//!
//! Every program has this crate, so it knows no server and stays small.

pub mod exit;
pub mod selection;
pub mod stdio;
pub mod terminal;
