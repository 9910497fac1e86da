//! Large replies: pictures of a million bytes, one after the other.

use std::time::Duration;

use super::{echo, pipes::Peer, timed};
use crate::{Result, figures::Samples, request::Call};

pub(crate) fn one_by_one(peer: &mut Peer, span: Duration, samples: &mut Samples) -> Result<()> {
    let stretch = timed(peer, span, "image", |peer, span| echo::one_by_one(peer, span, Call::Image))?;
    samples.higher("1 MB image", "MB/s", stretch.megabytes_per_second());
    samples.lower("1 MB image, CPU per call", "ms", stretch.cpu_millis());
    Ok(())
}
