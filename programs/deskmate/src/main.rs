//! The `deskmate` command.

use std::alloc::System;
use std::process::ExitCode;

use zeroizing_alloc::ZeroAlloc;

/// Wipes memory when it is given back: screenshots, secrets and keys go through this program as they do through `fotos-mcp` and
/// `authy`.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    vision::pdf::draw_if_asked(std::env::args_os())
        .unwrap_or_else(|| deskmate::commands::run(std::env::args_os()))
}
