//! Fuzzes the wire format: lines to a server, and what it answers.

mod corpus;
mod expect;
mod mutate;
mod service;
mod target;

use std::process::ExitCode;

use fuzz::Target;

fn main() -> ExitCode {
    fuzz::main(&[Target::new("wire", mutate::input, target::target)])
}
