//! The `authy` command: a vault of secrets, its command line, and its MCP server.

mod commands;
mod sys;

use std::alloc::System;
use std::process::ExitCode;

use zeroizing_alloc::ZeroAlloc;

/// Wipes memory when it is given back: parsers, messages and collections leave copies of what went through them, which
/// nobody else wipes.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    commands::run(std::env::args_os())
}
