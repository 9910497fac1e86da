//! Letting a browser in, which can send no token of its own: a link that works once, and the cookie it is exchanged for.
//!
//! ```text
//! GET /any/page?once=…  ─►  303 to /any/page, with a cookie that scripts cannot read and other sites cannot use
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::header::{CACHE_CONTROL, COOKIE, LOCATION, REFERRER_POLICY, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri};

use crate::body::Body;
use crate::secret::Secret;

/// How many links may be waiting to be used, and how many browsers be let in; the oldest goes first.
const MAX_LINKS: usize = 16;
const MAX_BROWSERS: usize = 64;

/// How many cookies of our name are looked at.
const MAX_COOKIES: usize = 4;

/// How long a browser is let in that keeps the cookie in a file.
const VISIT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// How long one is let in that ends with us: longer than any machine runs.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// The parameter that carries the secret of a link.
const ONCE: &str = "once";

/// The browsers that are let in, and the links that let further ones in.
#[derive(Debug)]
pub struct Browsers {
    /// Cookies are not kept apart by port: the name is.
    cookie: String,
    keeping: Keeping,
    links: Mutex<Vec<Pass>>,
    visits: Mutex<Vec<Pass>>,
}

/// Where a browser keeps the cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeping {
    /// In a file, so that it is there after a restart.
    InFile,
    /// In memory, until it ends.
    InMemory,
}

#[derive(Debug)]
struct Pass {
    secret: Secret,
    expires: Instant,
}

/// The system gives no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("a one-time link cannot be made: the system gives no random numbers")]
pub struct LinkError;

impl Browsers {
    /// Nobody is let in yet. `name` tells this listener's cookie from those of others on this machine: a product and a
    /// port, such as `deskmate-8642`.
    pub fn new(name: impl Into<String>) -> Browsers {
        let keeping = Keeping::InFile;
        Browsers { cookie: name.into(), keeping, links: Mutex::default(), visits: Mutex::default() }
    }

    /// The same, with a cookie that browsers keep in memory alone: whoever can read the person's files finds none.
    pub fn in_memory(mut self) -> Browsers {
        self.keeping = Keeping::InMemory;
        self
    }

    /// `page` as a link that lets in the first browser that opens it, within `lifetime`.
    pub fn link(&self, page: &str, lifetime: Duration) -> Result<String, LinkError> {
        let secret = random().ok_or(LinkError)?;
        admit(&mut locked(&self.links), MAX_LINKS, &secret, lifetime);
        let separator = if page.contains('?') { '&' } else { '?' };
        Ok(format!("{page}{separator}{ONCE}={secret}"))
    }

    /// What a request for a link is answered with: a cookie and the page without the secret, or the page alone where the
    /// link was used before. Anything else is no request for a link.
    pub(crate) fn redeem(&self, method: &Method, uri: &Uri) -> Option<Response<Body>> {
        if method != Method::GET {
            return None;
        }
        let (secret, page) = taken_apart(uri)?;
        let mut response = Response::new(Body::whole(""));
        *response.status_mut() = StatusCode::SEE_OTHER;
        let headers = response.headers_mut();
        headers.insert(LOCATION, HeaderValue::try_from(page).ok()?);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        if spend(&mut locked(&self.links), &secret)
            && let Some(visit) = random()
        {
            let (lifetime, age) = match self.keeping {
                Keeping::InFile => (VISIT, format!("; Max-Age={}", VISIT.as_secs())),
                Keeping::InMemory => (FOR_EVER, String::new()),
            };
            admit(&mut locked(&self.visits), MAX_BROWSERS, &visit, lifetime);
            let cookie = format!("{}={visit}; Path=/; HttpOnly; SameSite=Strict{age}", self.cookie);
            headers.insert(SET_COOKIE, HeaderValue::try_from(cookie).ok()?);
        }
        Some(response)
    }

    /// Whether a browser that was let in sends this.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        let given = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie);
        let mut visits = locked(&self.visits);
        forget_expired(&mut visits);
        // Another server of this machine can set a cookie of the same name, and the browser then sends both.
        let mut found = 0;
        for (_, given) in given.take(MAX_COOKIES) {
            // All of them, whichever it is: how long it takes tells nothing.
            found += visits.iter().filter(|visit| visit.secret.is(given)).count();
        }
        found > 0
    }
}

fn locked(passes: &Mutex<Vec<Pass>>) -> MutexGuard<'_, Vec<Pass>> {
    passes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget_expired(passes: &mut Vec<Pass>) {
    let now = Instant::now();
    passes.retain(|pass| pass.expires > now);
}

fn admit(passes: &mut Vec<Pass>, most: usize, secret: &str, lifetime: Duration) {
    forget_expired(passes);
    if passes.len() >= most {
        passes.remove(0);
    }
    passes.push(Pass { secret: Secret::new(secret), expires: Instant::now() + lifetime });
}

/// Takes a pass out; false when there is none.
fn spend(passes: &mut Vec<Pass>, secret: &str) -> bool {
    forget_expired(passes);
    let before = passes.len();
    passes.retain(|pass| !pass.secret.is(secret));
    passes.len() < before
}

/// The secret of a link, and its address without it.
fn taken_apart(uri: &Uri) -> Option<(String, String)> {
    let is_secret = |pair: &&str| pair.split_once('=').is_some_and(|(name, _)| name == ONCE);
    let query = uri.query()?;
    let (_, secret) = query.split('&').find(is_secret)?.split_once('=')?;
    let rest: Vec<&str> = query.split('&').filter(|pair| !is_secret(pair)).collect();
    // Two slashes would name another host, and browsers take a backslash for one.
    let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
    let page = if rest.is_empty() { path } else { format!("{path}?{}", rest.join("&")) };
    Some((secret.to_owned(), page))
}

/// 256 bits that nobody can guess, as letters and digits.
fn random() -> Option<String> {
    use std::fmt::Write as _;

    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    let mut text = String::with_capacity(64);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use http::header::{COOKIE, LOCATION, SET_COOKIE};
    use http::{HeaderMap, Method, Uri};

    use super::{Browsers, MAX_BROWSERS, MAX_LINKS, VISIT, locked};

    const HOUR: Duration = Duration::from_secs(3_600);

    /// Where opening a link leads, and the cookie it brings.
    fn open(browsers: &Browsers, link: &str) -> (String, Option<HeaderMap>) {
        let uri: Uri = link.parse().expect("an address");
        let response = browsers.redeem(&Method::GET, &uri).expect("a link");
        let text = |name| response.headers().get(name).map(|value| value.to_str().expect("text").to_owned());
        let cookie = text(SET_COOKIE).map(|cookie| {
            assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
            let pair = cookie.split(';').next().expect("a pair");
            [(COOKIE, format!("theme=dark; {pair}").parse().expect("a value"))].into_iter().collect()
        });
        (text(LOCATION).expect("a location"), cookie)
    }

    #[test]
    fn a_link_lets_one_browser_in_and_leaves_no_trace_in_the_address() {
        let browsers = Browsers::new("desk-1");
        let link = browsers.link("/book?page=2", HOUR).expect("a link");
        assert!(browsers.redeem(&Method::HEAD, &link.parse().expect("an address")).is_none());
        let (page, cookie) = open(&browsers, &link);
        assert_eq!(page, "/book?page=2");
        assert!(browsers.knows(&cookie.expect("a cookie")));
        let (page, cookie) = open(&browsers, &link);
        assert_eq!((page.as_str(), cookie), ("/book?page=2", None));
    }

    #[test]
    fn a_cookie_for_memory_alone_says_no_time_after_which_it_ends() {
        for (browsers, is_kept) in
            [(Browsers::new("desk-1"), true), (Browsers::new("desk-1").in_memory(), false)]
        {
            let link = browsers.link("/", HOUR).expect("a link").parse().expect("an address");
            let response = browsers.redeem(&Method::GET, &link).expect("a link");
            let cookie = response.headers()[SET_COOKIE].to_str().expect("text");
            assert_eq!(cookie.contains("Max-Age") || cookie.contains("Expires"), is_kept, "{cookie}");
            // A window that rests in the tray for months is still let in.
            let expires = locked(&browsers.visits)[0].expires;
            assert_eq!(expires < Instant::now() + VISIT * 2, is_kept);
        }
    }

    #[test]
    fn what_was_not_given_out_lets_nobody_in() {
        let browsers = Browsers::new("desk-1");
        for link in [
            "/?once=",
            "/?once=0000",
            "//evil.example/?once=1",
            "/\\evil.example/?once=1",
            "/\\/evil/?once=1",
        ] {
            let (page, cookie) = open(&browsers, link);
            let rest = page.strip_prefix('/').expect("a path");
            assert!(cookie.is_none() && !rest.starts_with(['/', '\\']), "{page}");
        }
        assert!(browsers.redeem(&Method::GET, &Uri::from_static("/?page=1")).is_none());
        for cookie in ["desk-1=", "desk-1=00", "desk-2=00", ""] {
            let headers = [(COOKIE, cookie.parse().expect("a value"))].into_iter().collect();
            assert!(!browsers.knows(&headers), "{cookie}");
        }
    }

    #[test]
    fn a_cookie_of_the_same_name_that_somebody_else_set_locks_nobody_out() {
        let browsers = Browsers::new("desk-1");
        let link = browsers.link("/", HOUR).expect("a link");
        let ours = open(&browsers, &link).1.expect("a cookie");
        let ours = ours[COOKIE].to_str().expect("text");
        let both = [(COOKIE, format!("desk-1=theirs; {ours}").parse().expect("a value"))];
        assert!(browsers.knows(&both.into_iter().collect()));
    }

    #[test]
    fn links_expire_and_so_do_those_that_are_too_many() {
        let browsers = Browsers::new("desk-1");
        let late = browsers.link("/", Duration::ZERO).expect("a link");
        assert!(open(&browsers, &late).1.is_none());
        let first = browsers.link("/", HOUR).expect("a link");
        let rest: Vec<String> = (0..MAX_LINKS).map(|_| browsers.link("/", HOUR).expect("a link")).collect();
        assert!(open(&browsers, &first).1.is_none());
        assert!(open(&browsers, &rest[0]).1.is_some());
    }

    #[test]
    fn the_browser_that_came_first_makes_room() {
        let browsers = Browsers::new("desk-1");
        let mut cookies = Vec::new();
        for _ in 0..=MAX_BROWSERS {
            let link = browsers.link("/", HOUR).expect("a link");
            cookies.push(open(&browsers, &link).1.expect("a cookie"));
        }
        assert!(!browsers.knows(&cookies[0]));
        assert!(browsers.knows(&cookies[1]) && browsers.knows(&cookies[MAX_BROWSERS]));
    }
}
