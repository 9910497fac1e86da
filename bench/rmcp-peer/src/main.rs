//! The server ours is measured against: rmcp in its best setting, with the tools `echo`, `image`, `sleep`.
//!
//! `rmcp-peer stdio` or `rmcp-peer http PORT [--legacy-session]`; either takes `--threads one|many`.

mod http;
mod image;
mod options;
mod stdio;
mod tools;

use std::{error::Error, io};

use options::{Options, Threads, Transport};
use tokio::runtime::{Builder, Runtime};

fn main() -> Result<(), Box<dyn Error>> {
    let Options { transport, threads } = Options::parse(std::env::args().skip(1))?;
    let runtime = runtime(threads)?;
    match transport {
        Transport::Stdio => runtime.block_on(stdio::serve()),
        Transport::Http { port, sessions } => runtime.block_on(http::serve(port, sessions)),
    }
}

fn runtime(threads: Threads) -> io::Result<Runtime> {
    match threads {
        Threads::One => Builder::new_current_thread().enable_all().build(),
        Threads::Many => Builder::new_multi_thread().enable_all().build(),
    }
}
