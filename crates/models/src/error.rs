//! What can go wrong, said without keys, and without the address beyond its host.

use std::time::Duration;

use fetch::FetchError;

use crate::keys::KeyError;
use crate::provider::Provider;
use crate::settings::SettingsError;

/// Why there is no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Nobody has a key.
    #[error("there is no key for {provider}; set `{}`, or choose another provider", provider.key_variables()[0])]
    NoKey {
        /// The provider.
        provider: Provider,
    },
    /// A store of keys failed.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// A setting is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// This provider looks at single pictures only.
    #[error("{provider} takes no videos; use `zai` or `gemini`, or send pictures out of it")]
    NoVideo {
        /// The provider.
        provider: Provider,
    },
    /// The request did not get through.
    #[error("{provider} cannot be reached: {source}")]
    Fetch {
        /// The provider.
        provider: Provider,
        /// What happened.
        source: FetchError,
    },
    /// The provider said no.
    #[error("{}", refused(*provider, *status, message, refusal))]
    Refused {
        /// The provider.
        provider: Provider,
        /// The HTTP status, or that of an event in a stream.
        status: u16,
        /// What it said, without the key.
        message: String,
        /// What that means.
        refusal: Refusal,
    },
    /// What came is not what this provider sends.
    #[error(
        "the answer of {provider} cannot be understood: {reason}; try again, or check the address that is set for it"
    )]
    Malformed {
        /// The provider.
        provider: Provider,
        /// What is wrong with it.
        reason: String,
    },
    /// The stream ended before the answer did.
    #[error("{provider} broke off in the middle of its answer, after {characters} characters; try again")]
    Incomplete {
        /// The provider.
        provider: Provider,
        /// How much had come.
        characters: usize,
    },
    /// The model used up all tokens before it said anything.
    #[error(
        "the model of {provider} thought until its tokens ran out and said nothing; ask for less at once, or allow more tokens"
    )]
    OnlyThoughts {
        /// The provider.
        provider: Provider,
    },
    /// The model or its provider would not answer.
    #[error(
        "the model of {provider} declined to answer{}; ask differently or show another picture",
        said(message)
    )]
    Declined {
        /// The provider.
        provider: Provider,
        /// Its words, if it had some.
        message: String,
    },
    /// An answer without a word.
    #[error("the model of {provider} answered with nothing; try again or ask differently")]
    Empty {
        /// The provider.
        provider: Provider,
    },
}

/// What a provider means by saying no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The key is not accepted.
    Key,
    /// The account has nothing left, or is not for this endpoint.
    Balance,
    /// Too much at once, for now.
    Busy {
        /// How long it asks to wait.
        wait: Option<Duration>,
    },
    /// A limit that lasts: a plan's hours, fair use.
    Quota,
    /// There is no such model.
    Model,
    /// The request or its picture is not accepted.
    Request,
    /// The request is too large.
    TooLarge,
    /// The content is not accepted.
    Filtered,
    /// The provider has trouble of its own.
    Failing,
}

fn refused(provider: Provider, status: u16, message: &str, refusal: &Refusal) -> String {
    let said = said(message);
    match refusal {
        // What it says to a wrong key may hold the key.
        Refusal::Key => format!(
            "{provider} does not accept the key ({status}); set a valid one as `{}`",
            provider.key_variables()[0]
        ),
        Refusal::Balance if provider == Provider::Zai => format!(
            "{provider} says the account has no balance for this{said}; top it up, or use the address the key is for: keys of \
             the coding plan work at `https://api.z.ai/api/coding/paas/v4`, and keys of z.ai and of bigmodel.cn only at \
             their own"
        ),
        Refusal::Balance => {
            format!("{provider} says the account has no credit for this{said}; top it up or use another key")
        }
        Refusal::Busy { wait: Some(wait) } => format!(
            "{provider} has too many requests ({status}){said}; wait {} s, then try again",
            wait.as_secs_f32().ceil()
        ),
        Refusal::Busy { wait: None } => {
            format!("{provider} has too many requests ({status}){said}; wait, then try again")
        }
        Refusal::Quota => format!(
            "{provider} allows no more for now{said}; wait until the limit ends, or use another provider"
        ),
        Refusal::Model => format!("{provider} does not have this model{said}; choose another as `model`"),
        Refusal::Request => {
            format!("{provider} does not accept the request ({status}){said}; change what it names")
        }
        Refusal::TooLarge => {
            format!("the request is too large for {provider}{said}; use a smaller picture or a part of it")
        }
        Refusal::Filtered => {
            format!("{provider} does not accept the content{said}; show another picture or ask differently")
        }
        Refusal::Failing => format!("{provider} has trouble of its own ({status}){said}; try again later"),
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": “{message}”") }
}
