//! Which failures are worth another try, and when.

use std::time::Duration;

use fetch::{FetchError, HeaderMap};

use crate::error::{ModelError, Refusal};

/// How often and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Patience {
    pub(crate) retries: u32,
    pub(crate) first_wait: Duration,
    pub(crate) longest_wait: Duration,
}

impl Patience {
    pub(crate) const fn new(retries: u32) -> Patience {
        Patience { retries, first_wait: Duration::from_millis(500), longest_wait: Duration::from_secs(8) }
    }

    /// How long to wait before try number `tries`, if there is to be one. A provider that asks for more patience than
    /// there is has given its answer.
    pub(crate) fn wait(&self, tries: u32, error: &ModelError) -> Option<Duration> {
        if tries > self.retries {
            return None;
        }
        let asked = match error {
            ModelError::Refused { refusal: Refusal::Busy { wait }, .. } => *wait,
            ModelError::Refused { refusal: Refusal::Failing, .. }
            | ModelError::Fetch { source: FetchError::Connect { .. } | FetchError::Lookup { .. }, .. } => {
                None
            }
            _ => return None,
        };
        match asked {
            Some(asked) => (asked <= self.longest_wait * 4).then_some(asked),
            None => Some(fetch::pause(tries, self.first_wait, self.longest_wait)),
        }
    }
}

/// What the provider asks to wait: `retry-after-ms`, else `Retry-After`.
pub(crate) fn asked(headers: &HeaderMap) -> Option<Duration> {
    let milliseconds =
        headers.get("retry-after-ms").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    milliseconds.map(Duration::from_millis).or_else(|| fetch::retry_after(headers))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fetch::{HeaderMap, HeaderName, HeaderValue};

    use super::{Patience, asked};
    use crate::error::{ModelError, Refusal};
    use crate::provider::Provider;

    fn refused(refusal: Refusal) -> ModelError {
        ModelError::Refused { provider: Provider::Zai, status: 429, message: String::new(), refusal }
    }

    #[test]
    fn what_helps_is_tried_again_and_what_does_not_is_not() {
        let patience = Patience::new(2);
        let wait = |tries, refusal| patience.wait(tries, &refused(refusal));
        assert!(wait(1, Refusal::Failing).is_some_and(|wait| wait <= Duration::from_millis(500)));
        let two = Some(Duration::from_secs(2));
        assert_eq!(wait(1, Refusal::Busy { wait: two }), two);
        assert_eq!(wait(1, Refusal::Busy { wait: Some(Duration::from_secs(3600)) }), None);
        assert_eq!(wait(3, Refusal::Failing), None);
        for refusal in [Refusal::Key, Refusal::Balance, Refusal::Model, Refusal::Request, Refusal::Filtered] {
            assert_eq!(wait(1, refusal), None);
        }
    }

    #[test]
    fn milliseconds_are_more_exact_than_seconds() {
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            let pair = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            pairs.iter().map(pair).collect()
        };
        let both = headers(&[("retry-after", "2"), ("retry-after-ms", "1500")]);
        assert_eq!(asked(&both), Some(Duration::from_millis(1500)));
        assert_eq!(asked(&headers(&[("retry-after", "2")])), Some(Duration::from_secs(2)));
        assert_eq!(asked(&headers(&[])), None);
    }
}
