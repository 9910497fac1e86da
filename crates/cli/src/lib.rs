//! What the programs share of the command line: [`terminal`] prints, [`colour`] paints, [`exit`] says how a command ended,
//! [`manual`] is for shells and `man`, [`selection`] leaves tools out, and [`stdio`] serves one server on stdin and stdout.
//!
//! Every program has this crate, so it knows no server and stays small.

pub mod colour;
pub mod exit;
pub mod manual;
pub mod selection;
pub mod stdio;
pub mod terminal;
