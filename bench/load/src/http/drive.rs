//! Keeps one request under way on each connection, from one thread.

use std::{
    mem::MaybeUninit,
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::event::{Timespec, epoll};

use super::connection::Connection;
use crate::{
    Result,
    figures::Stretch,
    reply::{Checker, excerpt},
    request::{Call, FIRST_ID, Template},
    server::PATIENCE,
};

/// Sends until the span is over, then waits for what is still under way.
pub(crate) fn drive(
    connections: &mut [Connection],
    requests: &Template,
    call: Call,
    span: Duration,
) -> Result<Stretch> {
    let (mut request, checker) = (requests.clone(), Checker::new(call));
    let readiness = Readiness::of(connections)?;
    let mut ready = Vec::new();
    let mut stretch = Stretch::default();
    let begin = Instant::now();
    let mut awaited = Vec::with_capacity(connections.len());
    for (id, connection) in (FIRST_ID..).zip(connections.iter_mut()) {
        connection.send(request.stamp(id))?;
        awaited.push((id, Instant::now()));
    }
    let (mut next_id, mut under_way) = (FIRST_ID + awaited.len() as u64, awaited.len());
    while under_way > 0 {
        readiness.wait(&mut ready)?;
        for &at in &ready {
            let connection = &mut connections[at];
            let Some(reply) = connection.read()? else { continue };
            let body = connection.body(&reply);
            if reply.status != 200 {
                return Err(format!("answered with {}: {}", reply.status, excerpt(body)).into());
            }
            let (id, sent) = awaited[at];
            checker.expect(body, id)?;
            let now = Instant::now();
            stretch.latencies.push(now - sent);
            stretch.bytes += reply.wire_len as u64;
            stretch.replies += 1;
            stretch.elapsed = now - begin;
            if stretch.elapsed < span {
                connection.send(request.stamp(next_id))?;
                awaited[at] = (next_id, now);
                next_id += 1;
            } else {
                under_way -= 1;
            }
        }
    }
    Ok(stretch)
}

/// Which connections can be read.
enum Readiness {
    /// Just wait in the read: asking first would be one more system call for each reply.
    Only,
    Among(OwnedFd),
}

impl Readiness {
    fn of(connections: &[Connection]) -> Result<Self> {
        if connections.len() == 1 {
            return Ok(Self::Only);
        }
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        for (at, connection) in connections.iter().enumerate() {
            epoll::add(
                &epoll,
                &connection.stream,
                epoll::EventData::new_u64(at as u64),
                epoll::EventFlags::IN,
            )?;
        }
        Ok(Self::Among(epoll))
    }

    fn wait(&self, ready: &mut Vec<usize>) -> Result<()> {
        ready.clear();
        let Self::Among(epoll) = self else {
            ready.push(0);
            return Ok(());
        };
        let mut events = [MaybeUninit::uninit(); 64];
        let patience = Timespec { tv_sec: PATIENCE.as_secs().try_into()?, tv_nsec: 0 };
        let (arrived, _) = epoll::wait(epoll, &mut events, Some(&patience))?;
        if arrived.is_empty() {
            return Err(format!("no answer within {PATIENCE:?}").into());
        }
        for event in arrived {
            ready.push(event.data.u64().try_into()?);
        }
        Ok(())
    }
}
