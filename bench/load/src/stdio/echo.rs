//! Small calls: one at a time, and many under way.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use super::{pipes::Peer, timed};
use crate::{
    Result,
    figures::{LatencyNames, Samples, Stretch},
    reply::Checker,
    request::{Call, Template},
};

const OUTSTANDING: u64 = 128;

/// Enough for a quarter of a million replies a second; more would grow the list while it is timed.
const LATENCIES: usize = 1 << 20;

const ON_ONE_CORE: LatencyNames = LatencyNames {
    rate: "ping-pong echo on one core",
    p50: "ping-pong echo on one core, p50",
    p99: "ping-pong echo on one core, p99",
    cpu: "ping-pong echo on one core, CPU per request",
};

const ANYWHERE: LatencyNames = LatencyNames {
    rate: "ping-pong echo",
    p50: "ping-pong echo, p50",
    p99: "ping-pong echo, p99",
    cpu: "ping-pong echo, CPU per request",
};

pub(crate) fn ping_pong_on_one_core(peer: &mut Peer, span: Duration, samples: &mut Samples) -> Result<()> {
    let _shared = peer.server.share_one_core()?;
    let mut stretch = timed(peer, span, "one-core", |peer, span| one_by_one(peer, span, Call::Echo))?;
    stretch.report_latencies(&ON_ONE_CORE, samples);
    Ok(())
}

pub(crate) fn ping_pong(peer: &mut Peer, span: Duration, samples: &mut Samples) -> Result<()> {
    let mut stretch = timed(peer, span, "ping-pong", |peer, span| one_by_one(peer, span, Call::Echo))?;
    stretch.report_latencies(&ANYWHERE, samples);
    samples.lower("echo reply", "bytes", stretch.bytes as f64 / stretch.replies as f64);
    Ok(())
}

pub(crate) fn pipelined(peer: &mut Peer, span: Duration, samples: &mut Samples) -> Result<()> {
    let stretch = timed(peer, span, "pipelined", |peer, span| many(peer, span, Call::Echo))?;
    samples.higher("pipelined echo", "requests/s", stretch.per_second());
    samples.lower("pipelined echo, CPU per request", "µs", stretch.cpu_micros());
    Ok(())
}

pub(crate) fn pipelined_list(peer: &mut Peer, span: Duration, samples: &mut Samples) -> Result<()> {
    let stretch = timed(peer, span, "list", |peer, span| many(peer, span, Call::ListTools))?;
    samples.higher("pipelined tools/list", "requests/s", stretch.per_second());
    samples.lower("pipelined tools/list, CPU per request", "µs", stretch.cpu_micros());
    samples.lower("tools/list reply", "bytes", stretch.bytes as f64 / stretch.replies as f64);
    Ok(())
}

/// Each request waits for the reply to the one before: one write and one read each.
pub(super) fn one_by_one(peer: &mut Peer, span: Duration, call: Call) -> Result<Stretch> {
    let (mut request, checker) = (Template::line(call, peer.era), Checker::new(call));
    let mut stretch = Stretch { latencies: Vec::with_capacity(LATENCIES), ..Stretch::default() };
    let begin = Instant::now();
    let mut sent = begin;
    while stretch.elapsed < span {
        let id = peer.take_ids(1);
        peer.requests.write_all(request.stamp(id))?;
        let reply = peer.replies.next()?;
        checker.expect(reply, id)?;
        stretch.bytes += reply.len() as u64 + 1;
        stretch.replies += 1;
        let now = Instant::now();
        stretch.latencies.push(now - sent);
        stretch.elapsed = now - begin;
        sent = now;
    }
    Ok(stretch)
}

/// Keeps a fixed number of requests under way: as many are sent at once as replies came at once.
fn many(peer: &mut Peer, span: Duration, call: Call) -> Result<Stretch> {
    let (mut request, checker) = (Template::line(call, peer.era), Checker::new(call));
    let mut stretch = Stretch::default();
    let mut awaited = Awaited::from(peer.take_ids(0));
    let mut batch = Vec::new();
    let begin = Instant::now();
    let mut to_send = OUTSTANDING;
    while to_send > 0 || awaited.count > 0 {
        batch.clear();
        let first = peer.take_ids(to_send);
        for id in first..first + to_send {
            batch.extend_from_slice(request.stamp(id));
            awaited.add(id);
        }
        peer.requests.write_all(&batch)?;
        let mut arrived = 0;
        while arrived == 0 || peer.replies.has_line() {
            let reply = peer.replies.next()?;
            awaited.remove(checker.id_of(reply)?)?;
            stretch.bytes += reply.len() as u64 + 1;
            arrived += 1;
        }
        stretch.replies += arrived;
        stretch.elapsed = begin.elapsed();
        to_send = if stretch.elapsed < span { arrived } else { 0 };
    }
    Ok(stretch)
}

/// The ids sent and not yet answered; replies may come in any order, but each only once.
struct Awaited {
    first: u64,
    answered: Vec<bool>,
    count: u64,
}

impl Awaited {
    fn from(first: u64) -> Self {
        Self { first, answered: Vec::new(), count: 0 }
    }

    fn add(&mut self, id: u64) {
        debug_assert_eq!(id, self.first + self.answered.len() as u64);
        self.answered.push(false);
        self.count += 1;
    }

    fn remove(&mut self, id: u64) -> Result<()> {
        let at = id.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        match at.and_then(|at| self.answered.get_mut(at)) {
            Some(answered) if !*answered => *answered = true,
            Some(_) => return Err(format!("request {id} was answered twice").into()),
            None => return Err(format!("an answer to a request that was not sent: {id}").into()),
        }
        self.count -= 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_in_any_order_but_only_once() {
        let mut awaited = Awaited::from(5);
        (5..8).for_each(|id| awaited.add(id));
        assert!(awaited.remove(7).is_ok() && awaited.remove(5).is_ok());
        assert_eq!(awaited.count, 1);
        assert!(awaited.remove(7).is_err() && awaited.remove(4).is_err() && awaited.remove(8).is_err());
    }
}
