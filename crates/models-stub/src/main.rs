//! The stub as a program, for tests in other languages: says where it is, and runs until its stdin ends.

use std::io::{self, Read, Write};

use models_stub::Stub;

fn main() -> io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let stub = Stub::start_at(port)?;
    writeln!(io::stdout(), "{}", stub.url())?;
    io::stdout().flush()?;
    // Whoever started it closes the pipe, on purpose or by ending.
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
