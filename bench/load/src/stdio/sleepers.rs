//! Many calls that all wait at once, in a process of their own: what one call under way weighs.

use std::{
    io::Write,
    thread,
    time::{Duration, Instant},
};

use super::pipes::Peer;
use crate::{
    Result,
    figures::Samples,
    probe::Memory,
    reply::Checker,
    request::{Call, Era, Template},
    server::PATIENCE,
};

const SLEEPERS: u64 = 5_000;
const SLEEP: Call = Call::Sleep { ms: 500 };

pub(crate) fn all_at_once(command: &str, era: Era, samples: &mut Samples) -> Result<()> {
    let mut peer = Peer::greet(command, era)?;
    let first = peer.take_ids(SLEEPERS);
    let (mut request, checker) = (Template::line(SLEEP, era), Checker::new(SLEEP));
    let mut all = Vec::new();
    for id in first..first + SLEEPERS {
        all.extend_from_slice(request.stamp(id));
    }
    let Peer { server, requests, replies, .. } = &mut peer;
    let server = std::sync::Arc::clone(server);
    let took = server.within(PATIENCE, "sleepers", || {
        let begin = Instant::now();
        // Written beside the reading, since neither all requests nor all replies need fit into a pipe.
        thread::scope(|scope| -> Result<Duration> {
            let writer = scope.spawn(|| requests.write_all(&all));
            let mut ids = Vec::new();
            for _ in 0..SLEEPERS {
                ids.push(checker.id_of(replies.next()?)?);
            }
            let took = begin.elapsed();
            writer.join().map_err(|_| "the writing thread panicked")??;
            ids.sort_unstable();
            if ids.iter().copied().ne(first..first + SLEEPERS) {
                return Err("some calls were answered twice, others never".into());
            }
            Ok(took)
        })
    })?;
    samples.lower("5,000 sleeping calls, peak memory", "MB", peer.megabytes(Memory::PeakResident)?);
    samples.lower("5,000 sleeping calls of 500 ms, all answered", "ms", took.as_secs_f64() * 1e3);
    Ok(())
}
