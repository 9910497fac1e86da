//! Asking a model about a screenshot, for the person.

use std::sync::Arc;

use bytes::Bytes;
use models::{Listener, Media, Part, Provider, Request, TEXT_IS_DATA};
use picture::{Budget, encode_within};
use serde::Serialize;

use super::Host;
use crate::error::Error;
use crate::screenshot::{Left, Screenshot};

/// No model sees more than this.
const LONG_EDGE: u32 = 2_048;

/// What to ask.
#[derive(Debug, Clone)]
pub struct Question {
    /// In words.
    pub prompt: String,
    /// Whom; a model, since reading without one is `Host::read`.
    pub provider: Provider,
    /// Takes what is private out of the picture first; a setting can make that the rule.
    pub redact: bool,
}

/// What a model said.
#[derive(Debug, Clone, Serialize)]
pub struct Answered {
    /// Its words.
    pub text: String,
    /// Which model.
    pub model: String,
    /// Tokens it read.
    pub input_tokens: Option<u64>,
    /// Tokens it wrote.
    pub output_tokens: Option<u64>,
    /// How many private things were covered first, where that was wanted.
    pub covered: Option<usize>,
}

impl Screenshot {
    /// The picture as this provider takes it.
    pub(crate) fn media(&self, provider: Provider) -> Result<Media, Error> {
        let intake = provider.intake();
        let budget = Budget { bytes: intake.picture_bytes, edge: intake.picture_edge.min(LONG_EDGE) };
        let encoded = encode_within(self.pixels()?.picture().clone(), budget)?;
        Ok(Media { mime: encoded.kind.mime(), bytes: Bytes::from(encoded.bytes) })
    }
}

impl Host {
    /// Asks; the listener hears the answer bit by bit. Dropping the future ends the call at the provider, too.
    pub async fn ask(
        self: &Arc<Self>,
        id: &str,
        question: Question,
        listener: Option<Listener<'_>>,
    ) -> Result<Answered, Error> {
        let Question { prompt, provider, redact } = question;
        let models = self.models()?;
        let session = models.open(provider).await?;
        let view = self.view(id)?;
        let is_redacted = redact || self.settings().ai.redact_before_sending;
        let (media, covered) = self
            .work(move |host| {
                if !is_redacted {
                    return Ok((view.media(provider)?, None));
                }
                let found = host.find_private(&view, &mut ocr::unwatched)?;
                let pixels = redaction::redacted(&*view.pixels()?, &found);
                let covered = Screenshot::opened(None, pixels);
                Ok((covered.media(provider)?, Some(found.len())))
            })
            .await?;
        let request = Request {
            system: Some(TEXT_IS_DATA.to_owned()),
            parts: vec![Part::Picture(media), Part::Text(prompt)],
            ..Request::default()
        };
        // Before it is sent: it may have arrived, whatever comes back.
        if let Ok(base) = self.store.get(id) {
            self.note_left(base.id(), Left::Model { provider: provider.name().to_owned() });
        }
        let answer = session.ask(&request, listener).await?;
        Ok(Answered {
            text: answer.text,
            model: answer.model,
            input_tokens: answer.usage.input,
            output_tokens: answer.usage.output,
            covered,
        })
    }
}
