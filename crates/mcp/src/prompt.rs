//! What a prompt is: a name, a few text arguments, and the messages it makes of them.

use std::future::Future;

use serde::de::DeserializeOwned;

use crate::content::{Completion, Messages};
use crate::cx::Cx;
use crate::fail::Stop;
use crate::service::Completing;
use crate::tool::Run;

/// A prompt of a server whose state is `S`.
pub trait Prompt<S>: Send + Sync + 'static {
    /// Its arguments; on the wire all of them are strings.
    type In: DeserializeOwned + Send;
    /// What the client is told about it.
    const ABOUT: PromptAbout;
    /// Where it runs.
    const RUN: Run = Run::Async;

    /// Makes the messages.
    fn get(&self, state: &S, cx: &Cx, input: Self::In)
    -> impl Future<Output = Result<Messages, Stop>> + Send;

    /// Suggestions for an argument.
    fn complete(&self, state: &S, typed: Completing<'_>) -> Completion {
        let _ = (state, typed);
        Completion::default()
    }
}

/// What the client is told about a prompt.
#[doc(alias = "Prompt")]
#[derive(Debug, Clone, Copy)]
pub struct PromptAbout {
    /// Unique among all prompts.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// What it is good for.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [PromptArgument],
    /// Whether [`Prompt::complete`] has suggestions.
    pub completes: bool,
}

/// One argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct PromptArgument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether it must be given.
    pub required: bool,
}
