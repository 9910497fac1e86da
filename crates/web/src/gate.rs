//! Which requests are let in: by host, origin and token.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Uri};
use mcp::Caller;

use crate::body::Body;
use crate::browsers::Browsers;
use crate::secret::Secret;
use crate::sys;

/// What every request is checked against.
#[derive(Debug, Clone)]
pub struct Gate {
    bound: SocketAddr,
    token: Option<Secret>,
    /// Browsers that need no token.
    browsers: Option<Arc<Browsers>>,
    /// Whether nobody but these browsers is let in.
    only_browsers: bool,
    /// Names we may be called by, besides those of the address we listen on.
    hosts: Vec<String>,
    /// Headers handed through to servers that ask for credentials of their own, in lower case.
    handed_through: Vec<String>,
}

/// The shortest token; a shorter one can be guessed by trying.
const SHORTEST_TOKEN: usize = 16;

/// A listener that anybody could use.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum GateError {
    /// Other machines reach it.
    #[error(
        "{0} can be reached from other machines, so a token is needed: give one with `--token`, or listen on 127.0.0.1"
    )]
    Reachable(IpAddr),
    /// Other users of this machine reach it.
    #[error("this system does not tell which user connects, so a token is needed: give one with `--token`")]
    UnknownUsers,
    /// The token keeps nobody out.
    #[error(
        "the token has {0} characters, and at least {SHORTEST_TOKEN} are needed: make one with `openssl rand -hex 16`"
    )]
    ShortToken(usize),
    /// Nobody could send the token: headers are trimmed, and of ASCII.
    #[error(
        "the token may have letters, digits and signs of ASCII, and no spaces: make one with `openssl rand -hex 16`"
    )]
    UnsendableToken,
}

/// What lets a request in, besides a name and an origin that are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The token of this listener, if it has one.
    Token,
    /// Something that is checked further on.
    TheirOwn,
    /// The cookie of a browser that opened a link, and nothing else: a program of the same user is not the person.
    Browser,
}

/// Why somebody was turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Host,
    Origin,
    Token,
    TokenOrLink,
}

impl Gate {
    /// A gate for a listener on `bound`. Where other machines, or other users of this one, could come in, there is none
    /// without a token.
    pub fn new(bound: SocketAddr, token: Option<&str>) -> Result<Gate, GateError> {
        Gate::with(bound, token, sys::IS_TOLD)
    }

    fn with(bound: SocketAddr, token: Option<&str>, users_are_told: bool) -> Result<Gate, GateError> {
        match token {
            None if !bound.ip().is_loopback() => return Err(GateError::Reachable(bound.ip())),
            None if !users_are_told => return Err(GateError::UnknownUsers),
            Some(token) if token.chars().count() < SHORTEST_TOKEN => {
                return Err(GateError::ShortToken(token.chars().count()));
            }
            Some(token) if !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
                return Err(GateError::UnsendableToken);
            }
            None | Some(_) => {}
        }
        Ok(Gate { token: token.map(Secret::new), ..Gate::without_token(bound) })
    }

    /// A gate for a listener whose routers ask for credentials of their own. Where other machines, or other users of this
    /// one, could come in, nothing else is reached.
    pub fn without_token(bound: SocketAddr) -> Gate {
        Gate {
            bound,
            token: None,
            browsers: None,
            only_browsers: false,
            hosts: Vec::new(),
            handed_through: Vec::new(),
        }
    }

    /// A gate that lets nobody in but the browsers that opened a link.
    pub fn only_browsers(bound: SocketAddr, browsers: Arc<Browsers>) -> Gate {
        Gate { only_browsers: true, ..Gate::without_token(bound).browsers(browsers) }
    }

    /// Lets in browsers that opened a link, in place of a token.
    pub fn browsers(mut self, browsers: Arc<Browsers>) -> Gate {
        self.browsers = Some(browsers);
        self
    }

    /// Lets us be called by this name as well.
    pub fn host(mut self, name: impl Into<String>) -> Gate {
        self.hosts.push(name.into().to_ascii_lowercase());
        self
    }

    /// Hands this header through to the servers.
    pub fn hand_through(mut self, header: &str) -> Gate {
        self.handed_through.push(header.to_ascii_lowercase());
        self
    }

    /// Whether callers must be processes of our own user: on loopback nothing else tells them apart.
    pub(crate) fn wants_same_user(&self) -> bool {
        self.bound.ip().is_loopback()
    }

    /// The answer to a browser that opens a link, if this is one.
    pub(crate) fn redeem<B>(&self, request: &Request<B>) -> Option<Response<Body>> {
        let browsers = self.browsers.as_ref()?;
        self.check_names(request.headers()).ok()?;
        browsers.redeem(request.method(), request.uri())
    }

    /// Whether the target, where it names somebody as in a request to a proxy, names us: it counts more than `Host`.
    pub(crate) fn check_target(&self, target: &Uri) -> Result<(), Refusal> {
        if target.authority().is_none_or(|authority| self.is_ours(authority.as_str())) {
            Ok(())
        } else {
            Err(Refusal::Host)
        }
    }

    /// Lets a request in, or says why not. `known` is the caller as far as the connection tells.
    pub(crate) fn admit(
        &self,
        headers: &HeaderMap,
        known: &Arc<Caller>,
        credential: Credential,
    ) -> Result<Arc<Caller>, Refusal> {
        self.check_names(headers)?;
        let is_let_in = match credential {
            Credential::Token => self.has_credential(headers),
            Credential::TheirOwn => true,
            Credential::Browser => self.knows_browser(headers),
        };
        if !is_let_in {
            return Err(if self.browsers.is_some() { Refusal::TokenOrLink } else { Refusal::Token });
        }
        Ok(self.with_credentials(headers, known))
    }

    /// Whether the request is meant for us, and comes from no page of somebody else.
    fn check_names(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        // Of two, somebody behind us may look at the other one.
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else {
            return Err(Refusal::Host);
        };
        if !self.is_ours(host) {
            return Err(Refusal::Host);
        }
        if headers.get_all(ORIGIN).iter().all(|origin| is_same_origin(origin, host)) {
            Ok(())
        } else {
            Err(Refusal::Origin)
        }
    }

    fn knows_browser(&self, headers: &HeaderMap) -> bool {
        self.browsers.as_ref().is_some_and(|browsers| browsers.knows(headers))
    }

    fn has_credential(&self, headers: &HeaderMap) -> bool {
        if self.knows_browser(headers) {
            return true;
        }
        match &self.token {
            Some(token) => headers.get(AUTHORIZATION).and_then(bearer).is_some_and(|given| token.is(given)),
            None => !self.only_browsers && self.bound.ip().is_loopback() && sys::IS_TOLD,
        }
    }

    fn with_credentials(&self, headers: &HeaderMap, known: &Arc<Caller>) -> Arc<Caller> {
        let given: Vec<(String, String)> = self
            .handed_through
            .iter()
            .filter_map(|name| Some((name.clone(), headers.get(name)?.to_str().ok()?.to_owned())))
            .collect();
        if given.is_empty() {
            return Arc::clone(known);
        }
        Arc::new(Caller { headers: given, ..Caller::clone(known) })
    }

    /// A page that had its name point to us still sends that name.
    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        if matches!(name.as_str(), "localhost" | "127.0.0.1" | "[::1]") || self.hosts.contains(&name) {
            return true;
        }
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        // Off loopback the token decides; a bare address cannot be a name that was made to point here.
        address.is_ok_and(|address| !self.bound.ip().is_loopback() || address == self.bound.ip())
    }
}

fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if host.get(at + 1..).is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit())) => {
            // `[::1]` ends in a bracket, so its colons are not taken for a port's.
            host.get(..at).unwrap_or(host)
        }
        _ => host,
    }
}

/// Our own pages only: nobody else's script has business here.
fn is_same_origin(origin: &HeaderValue, host: &str) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl Refusal {
    pub(crate) fn response(self) -> Response<Body> {
        let (status, text) = match self {
            Refusal::Host => (StatusCode::FORBIDDEN, "Forbidden: this server does not go by that name.\n"),
            Refusal::Origin => {
                (StatusCode::FORBIDDEN, "Forbidden: pages of other origins have no access here.\n")
            }
            Refusal::Token => (
                StatusCode::UNAUTHORIZED,
                "Unauthorized: send the token of this server as `Authorization: Bearer …`.\n",
            ),
            Refusal::TokenOrLink => (
                StatusCode::UNAUTHORIZED,
                "Unauthorized: programs send the token of this server as `Authorization: Bearer …`.\nA browser opens the link that the server printed when it started; each link works once, and a restart prints another.\n",
            ),
        };
        let mut response = Response::new(Body::whole(text));
        *response.status_mut() = status;
        response
            .headers_mut()
            .insert(http::header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if matches!(self, Refusal::Token | Refusal::TokenOrLink) {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use http::HeaderMap;
    use mcp::Caller;

    use super::{Browsers, Credential, Gate, GateError, Refusal};

    fn gate(address: &str, token: Option<&str>) -> Gate {
        Gate::new(address.parse::<SocketAddr>().expect("an address"), token).expect("a gate")
    }

    fn admitted(gate: &Gate, headers: &[(&'static str, &str)]) -> Result<(), Refusal> {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(*name, value.parse().expect("a value"));
        }
        let headers = all;
        gate.admit(&headers, &Arc::new(Caller::default()), Credential::Token).map(drop)
    }

    #[test]
    fn only_names_of_this_machine_are_answered_to() {
        let gate = gate("127.0.0.1:80", None).host("Desk.local");
        for host in
            ["localhost", "localhost:8642", "127.0.0.1:1", "[::1]:8642", "LOCALHOST:1", "desk.local:80"]
        {
            assert_eq!(admitted(&gate, &[("host", host)]), Ok(()), "{host}");
        }
        for host in ["evil.example.com", "localhost.evil.com", "127.0.0.1.evil.com:80", "192.168.0.2", ""] {
            assert_eq!(admitted(&gate, &[("host", host)]), Err(Refusal::Host), "{host}");
        }
        assert_eq!(admitted(&gate, &[]), Err(Refusal::Host));
        let two = [("host", "localhost"), ("host", "evil.example.com")];
        assert_eq!(admitted(&gate, &two), Err(Refusal::Host));
    }

    #[test]
    fn the_address_it_listens_on_is_answered_to() {
        let gate = gate("127.0.0.2:80", None);
        assert_eq!(admitted(&gate, &[("host", "127.0.0.2:80")]), Ok(()));
        assert_eq!(admitted(&gate, &[("host", "127.0.0.3:80")]), Err(Refusal::Host));
    }

    #[test]
    fn only_our_own_pages_are_let_in() {
        let gate = gate("127.0.0.1:80", None);
        let from = |origin: &str| admitted(&gate, &[("host", "localhost:8642"), ("origin", origin)]);
        assert_eq!(from("http://localhost:8642"), Ok(()));
        for origin in
            ["http://localhost:1", "http://evil.example.com", "null", "file://", "http://localhost:8642.evil"]
        {
            assert_eq!(from(origin), Err(Refusal::Origin), "{origin}");
        }
        let two = ["http://localhost:8642", "http://evil.example.com"].map(|origin| ("origin", origin));
        let headers = [("host", "localhost:8642"), two[0], two[1]];
        assert_eq!(admitted(&gate, &headers), Err(Refusal::Origin));
    }

    #[test]
    fn off_loopback_there_is_no_gate_without_a_token() {
        assert!(Gate::new("0.0.0.0:80".parse().expect("an address"), None).is_err());
        let gate = gate("0.0.0.0:80", Some("a-secret-of-some-length"));
        let with = |authorization: &str| {
            admitted(&gate, &[("host", "10.1.2.3:80"), ("authorization", authorization)])
        };
        assert_eq!(with("Bearer a-secret-of-some-length"), Ok(()));
        assert_eq!(with("bearer a-secret-of-some-length"), Ok(()));
        for wrong in
            ["Bearer a-secret", "Bearer", "Basic a-secret-of-some-length", "Bearer a-secret-of-some-length2"]
        {
            assert_eq!(with(wrong), Err(Refusal::Token), "{wrong}");
        }
        assert_eq!(admitted(&gate, &[("host", "10.1.2.3:80")]), Err(Refusal::Token));
        assert_eq!(
            admitted(&gate, &[("host", "evil.example"), ("authorization", "Bearer a-secret-of-some-length")]),
            Err(Refusal::Host)
        );
    }

    #[test]
    fn a_token_that_could_be_guessed_is_none() {
        let address: SocketAddr = "127.0.0.1:80".parse().expect("an address");
        assert_eq!(Gate::new(address, Some("fifteen-letters")).err(), Some(GateError::ShortToken(15)));
        assert!(Gate::new(address, Some("sixteen--letters")).is_ok());
    }

    #[test]
    fn a_token_that_nobody_could_send_is_none() {
        let address: SocketAddr = "127.0.0.1:80".parse().expect("an address");
        for token in ["sixteen--letters ", " sixteen--letters", "sixteen  letters", "sechzehn-Bücher-"] {
            assert_eq!(Gate::new(address, Some(token)).err(), Some(GateError::UnsendableToken), "{token}");
        }
    }

    #[test]
    fn where_the_system_does_not_tell_users_apart_a_token_does() {
        let address: SocketAddr = "127.0.0.1:80".parse().expect("an address");
        assert_eq!(Gate::with(address, None, false).err(), Some(GateError::UnknownUsers));
        assert!(Gate::with(address, Some("sixteen--letters"), false).is_ok());
    }

    #[test]
    fn a_gate_for_browsers_alone_takes_nothing_else() {
        let browsers = Arc::new(Browsers::new("desk-80"));
        let gate = Gate::only_browsers("127.0.0.1:80".parse().expect("an address"), browsers);
        let refused = admitted(&gate, &[("host", "localhost"), ("authorization", "Bearer sixteen--letters")]);
        assert_eq!(refused, Err(Refusal::TokenOrLink));
    }

    #[test]
    fn nothing_of_the_token_is_printed() {
        let printed = format!("{:?}", gate("127.0.0.1:80", Some("sixteen--letters")));
        assert!(
            printed.contains("Secret") && !printed.contains("sixteen") && !printed.contains("[1"),
            "{printed}"
        );
    }

    #[test]
    fn without_a_token_other_machines_reach_only_what_asks_for_its_own_credentials() {
        let gate = Gate::without_token("0.0.0.0:80".parse().expect("an address"));
        let headers: HeaderMap =
            [(http::header::HOST, "10.1.2.3:80".parse().expect("a value"))].into_iter().collect();
        let admit = |credential| gate.admit(&headers, &Arc::new(Caller::default()), credential).map(drop);
        assert_eq!(admit(Credential::Token), Err(Refusal::Token));
        assert_eq!(admit(Credential::TheirOwn), Ok(()));
        let headers: HeaderMap =
            [(http::header::HOST, "evil.example".parse().expect("a value"))].into_iter().collect();
        let admitted = gate.admit(&headers, &Arc::new(Caller::default()), Credential::TheirOwn);
        assert_eq!(admitted.map(drop), Err(Refusal::Host));
    }
}
