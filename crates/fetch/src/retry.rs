//! When a request is sent again, and how long to wait before.

use std::time::{Duration, SystemTime};

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};

use crate::client::Limits;

/// Whether this answer is worth another try.
pub(crate) fn is_temporary(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// How long to wait before try number `tries` (1 is the first repetition). `None` when the server wants more patience
/// than there is: then its answer is the answer.
pub(crate) fn wait(limits: &Limits, tries: u32, headers: Option<&HeaderMap>) -> Option<Duration> {
    match headers.and_then(|headers| asked_for(headers, SystemTime::now())) {
        Some(wanted) => (wanted <= limits.longest_wait).then_some(wanted),
        None => Some(pause(tries, limits.first_wait, limits.longest_wait)),
    }
}

/// How long a server asks to wait by `Retry-After`, in seconds or as a date.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    asked_for(headers, SystemTime::now())
}

/// A wait before repetition number `tries`, from 1: it doubles from `first` to at most `longest`, and no two are alike.
pub fn pause(tries: u32, first: Duration, longest: Duration) -> Duration {
    jittered(first.saturating_mul(1 << tries.saturating_sub(1).min(16)).min(longest))
}

/// What `Retry-After` says, in seconds or as a date.
fn asked_for(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => httpdate::parse_http_date(text).ok().map(|at| at.duration_since(now).unwrap_or_default()),
    }
}

/// Between half of it and all of it, so that those who were turned away together do not come back together.
fn jittered(wait: Duration) -> Duration {
    let random = getrandom::u32().unwrap_or(u32::MAX);
    wait.mul_f64(0.5 + f64::from(random) / f64::from(u32::MAX) / 2.0)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::{HeaderMap, HeaderValue, header};

    use super::{asked_for, wait};
    use crate::client::Limits;

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::RETRY_AFTER, HeaderValue::from_str(value).expect(value))])
    }

    #[test]
    fn the_server_says_how_long_to_wait_in_seconds_or_as_a_date() {
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(asked_for(&headers(" 7 "), epoch), Some(Duration::from_secs(7)));
        assert_eq!(
            asked_for(&headers("Thu, 01 Jan 1970 00:01:00 GMT"), epoch),
            Some(Duration::from_secs(60))
        );
        assert_eq!(asked_for(&headers("soon"), epoch), None);
        let past = epoch + Duration::from_secs(100);
        assert_eq!(asked_for(&headers("Thu, 01 Jan 1970 00:01:00 GMT"), past), Some(Duration::ZERO));
    }

    #[test]
    fn waiting_grows_and_is_bounded() {
        let limits = Limits {
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(8),
            ..Limits::default()
        };
        for (tries, most) in [(1, 1), (2, 2), (3, 4), (4, 8), (9, 8), (u32::MAX, 8)] {
            let waited = wait(&limits, tries, None).expect("a wait");
            let most = Duration::from_secs(most);
            assert!(waited >= most / 2 && waited <= most, "{tries}: {waited:?}");
        }
        assert_eq!(wait(&limits, 1, Some(&headers("8"))), Some(Duration::from_secs(8)));
        assert_eq!(wait(&limits, 1, Some(&headers("9"))), None);
    }
}
