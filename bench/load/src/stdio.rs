//! The measurements on stdio: what is run on which process, in which order.

mod echo;
mod image;
mod pipes;
mod sleepers;
mod start;

use std::{thread, time::Duration};

use crate::{
    Result,
    figures::{Samples, Stretch},
    options::{Options, ServerCommand},
    probe::Memory,
    server::PATIENCE,
    stdio::pipes::Peer,
};

/// Time for a server to finish what it does after its first reply, before its memory is read.
const SETTLE: Duration = Duration::from_millis(100);

type Measurement = fn(&mut Peer, Duration, &mut Samples) -> Result<()>;

/// Those that share one process, from small to large.
const LOADS: [(&str, Measurement); 5] = [
    ("one-core", echo::ping_pong_on_one_core),
    ("ping-pong", echo::ping_pong),
    ("pipelined", echo::pipelined),
    ("list", echo::pipelined_list),
    ("image", image::one_by_one),
];

pub(crate) fn measure(options: &Options, server: &ServerCommand, samples: &mut Samples) -> Result<()> {
    let mut names: Vec<_> = LOADS.iter().map(|(name, _)| *name).collect();
    names.extend(["start", "sleepers"]);
    options.check_names(&names)?;

    if options.wants("start") {
        start::to_first_reply(&server.command, options.era, samples)?;
    }
    if LOADS.iter().any(|(name, _)| options.wants(name)) {
        let mut peer = Peer::greet(&server.command, options.era)?;
        thread::sleep(SETTLE);
        samples.lower("memory, idle", "MB", peer.megabytes(Memory::Resident)?);
        for (_, load) in LOADS.iter().filter(|(name, _)| options.wants(name)) {
            load(&mut peer, options.span, samples)?;
        }
        samples.lower("memory, after load", "MB", peer.megabytes(Memory::Resident)?);
        samples.lower("binary", "MB", peer.server.binary_bytes()? / 1e6);
    }
    if options.wants("sleepers") {
        sleepers::all_at_once(&server.command, options.era, samples)?;
    }
    Ok(())
}

/// Runs a load for a tenth of the span to warm up, then for the whole span with the server's time taken.
fn timed(
    peer: &mut Peer,
    span: Duration,
    what: &str,
    load: impl Fn(&mut Peer, Duration) -> Result<Stretch>,
) -> Result<Stretch> {
    // The server is borrowed apart from the pipes, hence the clone of its handle.
    let server = std::sync::Arc::clone(&peer.server);
    server.within(span * 2 + PATIENCE, what, || {
        load(peer, span / 10)?;
        let before = server.cpu_time()?;
        let mut stretch = load(peer, span)?;
        stretch.server_cpu = server.cpu_time()?.saturating_sub(before);
        Ok(stretch)
    })
}
