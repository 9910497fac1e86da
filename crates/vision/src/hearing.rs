//! A model's answer, and what a client hears while it comes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use models::{Answer, Heard, Models, Provider, Request};
use tokio::time::MissedTickBehavior;

use crate::error::Error;

/// How often a client that wants to hear something does, even while the model is silent.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Hears how far a call is: seconds since it began, and words for a person.
pub type Progress<'a> = &'a (dyn Fn(f64, &str) + Send + Sync);

/// Asks, and tells how far the answer is as long as somebody wants to hear it.
pub(crate) async fn ask(
    models: &Models,
    provider: Provider,
    request: &Request,
    progress: Option<Progress<'_>>,
) -> Result<Answer, Error> {
    let Some(progress) = progress else { return Ok(models.ask(provider, request, None).await?) };
    let started = Instant::now();
    let characters = AtomicUsize::new(0);
    let tell = || {
        let message = match characters.load(Ordering::Relaxed) {
            0 => format!("{provider} is looking"),
            count => format!("{provider} is answering: {count} characters so far"),
        };
        progress(started.elapsed().as_secs_f64(), &message);
    };
    tell();
    let mut listener = |heard: Heard| {
        characters.store(heard.characters, Ordering::Relaxed);
        tell();
    };
    let mut beat = tokio::time::interval(HEARTBEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let asking = models.ask(provider, request, Some(&mut listener));
    tokio::pin!(asking);
    loop {
        tokio::select! {
            answer = &mut asking => return Ok(answer?),
            _ = beat.tick() => tell(),
        }
    }
}
