//! What a legacy session weighs that a client opened and left alone.

use std::{thread, time::Duration};

use super::listener::Listener;
use crate::{Result, figures::Samples, probe::Memory, request::Era, server::PATIENCE};

const SESSIONS: u32 = 2_000;
/// Opened first and not counted, so that tables and buffers the server makes once are not either.
const WARM_UP: u32 = 20;
const SETTLE: Duration = Duration::from_millis(300);

pub(crate) fn idle(command: &str, path: &str, samples: &mut Samples) -> Result<()> {
    let listener = Listener::greet(command, path, Era::Legacy)?;
    let mut connection = listener.connect(1)?.remove(0);
    // In a new session, not in the one of the greeting.
    let listener = listener.without_session();
    let grown = listener.server.within(PATIENCE * 2, "sessions", || {
        for _ in 0..WARM_UP {
            listener.open_session(&mut connection)?;
        }
        thread::sleep(SETTLE);
        let before = listener.server.memory_kib(Memory::Resident)?;
        for _ in 0..SESSIONS {
            listener.open_session(&mut connection)?;
        }
        thread::sleep(SETTLE);
        Ok(listener.server.memory_kib(Memory::Resident)? - before)
    })?;
    samples.lower("memory per idle legacy session", "KiB", grown / f64::from(SESSIONS));
    Ok(())
}
