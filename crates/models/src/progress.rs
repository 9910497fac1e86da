//! What somebody hears while a model looks: how far its answer is, and a sign of life while it thinks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::time::MissedTickBehavior;

use crate::answer::Answer;
use crate::client::{Heard, Session};
use crate::error::ModelError;
use crate::request::Request;

/// How often somebody who wants to hear something does, even while the model is silent.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Hears how far a call is: seconds since it began, and words for a person.
pub type Progress<'a> = &'a (dyn Fn(f64, &str) + Send + Sync);

impl Session<'_> {
    /// Asks as [`Session::ask`] does, and tells how far the answer is as long as somebody wants to hear it.
    pub async fn ask_telling(
        self,
        request: &Request,
        progress: Option<Progress<'_>>,
    ) -> Result<Answer, ModelError> {
        let Some(progress) = progress else { return self.ask(request, None).await };
        let (started, provider) = (Instant::now(), self.provider());
        let bytes = AtomicUsize::new(0);
        let tell = || {
            let message = match bytes.load(Ordering::Relaxed) {
                0 => format!("{provider} is looking"),
                count => format!("{provider} is answering: {count} characters so far"),
            };
            progress(started.elapsed().as_secs_f64(), &message);
        };
        tell();
        let mut listener = |heard: Heard<'_>| {
            bytes.store(heard.bytes, Ordering::Relaxed);
            tell();
        };
        let mut beat = tokio::time::interval(HEARTBEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let asking = self.ask(request, Some(&mut listener));
        tokio::pin!(asking);
        loop {
            tokio::select! {
                answer = &mut asking => return answer,
                _ = beat.tick() => tell(),
            }
        }
    }
}
