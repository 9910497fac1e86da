//! From starting the process to its first reply.

use std::time::Instant;

use super::pipes::Peer;
use crate::{
    Result,
    figures::{Samples, median},
    request::Era,
};

const STARTS: usize = 10;

pub(crate) fn to_first_reply(command: &str, era: Era, samples: &mut Samples) -> Result<()> {
    let mut millis = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let begin = Instant::now();
        let peer = Peer::greet(command, era)?;
        millis.push(begin.elapsed().as_secs_f64() * 1e3);
        drop(peer);
    }
    samples.lower("start to first reply", "ms", median(&millis));
    Ok(())
}
