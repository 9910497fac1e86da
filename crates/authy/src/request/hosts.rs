//! Where a secret may be sent.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use fetch::{Method, Url};

/// Hosts, and if wanted methods and paths, a secret is bound to: `api.example.com`, `*.example.com`,
/// `GET,POST api.example.com:8443/v1/*`.
///
/// Without a scheme it means `https`. `http://` in front allows a connection without encryption; it needs a whole host name
/// or an address, and that host may be in a private network. So may one given by its address, and `localhost`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    text: String,
    methods: Vec<Method>,
    scheme: Scheme,
    host: Host,
    port: u16,
    /// What the path must look like; `*` is any text.
    path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Exactly(String),
    /// Any name that ends with this, dot included, and is longer.
    Below(String),
}

/// Why a text is no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadHostRule {
    /// Not a host.
    #[error("a host looks like `api.example.com`, `*.example.com` or `10.0.0.5:8443`; this does not")]
    Host,
    /// A star that would be the whole internet or part of a name.
    #[error("`*` stands for a whole part of a name, in front of at least two others, as in `*.example.com`")]
    Wildcard,
    /// No encryption to hosts nobody has named.
    #[error("`http://` needs a host without `*`; name it, or leave `http://` out")]
    OpenWildcard,
    /// Not a method.
    #[error("methods come first, in capitals, with commas between them, as in `GET,POST api.example.com`")]
    Method,
}

pub(super) fn remedy(secret: &str, allowed: &[String]) -> String {
    match allowed {
        [] => format!(
            "it is bound to no host: the owner of the vault binds it by `authy set {secret} --host HOST`"
        ),
        rules => format!("it is bound to: `{}`", rules.join("`, `")),
    }
}

impl FromStr for HostRule {
    type Err = BadHostRule;

    fn from_str(text: &str) -> Result<HostRule, BadHostRule> {
        let text = text.trim();
        let (methods, rest) = match text.split_once(' ') {
            Some((methods, rest)) => (read_methods(methods)?, rest.trim()),
            None => (Vec::new(), text),
        };
        let (scheme, rest) = match (rest.strip_prefix("https://"), rest.strip_prefix("http://")) {
            (Some(rest), _) => (Scheme::Https, rest),
            (None, Some(rest)) => (Scheme::Http, rest),
            (None, None) => (Scheme::Https, rest),
        };
        let (place, path) = match rest.find('/') {
            Some(at) => (&rest[..at], Some(rest[at..].to_owned()).filter(|path| path != "/" && path != "/*")),
            None => (rest, None),
        };
        let (below, place) = place.strip_prefix("*.").map_or((false, place), |rest| (true, rest));
        if place.contains('*') {
            return Err(BadHostRule::Wildcard);
        }
        // The URL parser knows what a host is, and writes it as it will write that of the request.
        let prefix = if scheme == Scheme::Http { "http" } else { "https" };
        let url = Url::parse(&format!("{prefix}://{place}/")).map_err(|_| BadHostRule::Host)?;
        let plain = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty();
        let host = url.host_str().filter(|_| plain && url.password().is_none()).ok_or(BadHostRule::Host)?;
        let port = url.port_or_known_default().ok_or(BadHostRule::Host)?;
        let host = match below {
            true if scheme == Scheme::Http => return Err(BadHostRule::OpenWildcard),
            true if !host.contains('.') || is_address(host) => return Err(BadHostRule::Wildcard),
            true => Host::Below(format!(".{host}")),
            false => Host::Exactly(host.to_owned()),
        };
        Ok(HostRule { text: text.to_owned(), methods, scheme, host, port, path })
    }
}

fn read_methods(text: &str) -> Result<Vec<Method>, BadHostRule> {
    let read = |name: &str| {
        let capitals = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase());
        Method::from_bytes(name.as_bytes()).ok().filter(|_| capitals).ok_or(BadHostRule::Method)
    };
    text.split(',').map(read).collect()
}

fn is_address(host: &str) -> bool {
    host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
}

impl HostRule {
    /// Whether a request may go there with the secret.
    pub fn allows(&self, method: &Method, url: &Url) -> bool {
        let scheme = match self.scheme {
            Scheme::Https => url.scheme() == "https",
            Scheme::Http => url.scheme() == "http",
        };
        let given = url.host_str().unwrap_or_default();
        let host = match &self.host {
            Host::Exactly(name) => name == given,
            Host::Below(end) => {
                given.len() > end.len() && given.ends_with(end.as_str()) && !is_address(given)
            }
        };
        let methods = self.methods.is_empty() || self.methods.contains(method);
        let path = self.path.as_ref().is_none_or(|pattern| fits(pattern, url.path()));
        scheme && host && methods && path && url.port_or_known_default() == Some(self.port)
    }

    /// The host, if the rule lets it be in a private network.
    pub(super) fn private_host(&self) -> Option<&str> {
        match &self.host {
            Host::Exactly(name) if self.scheme == Scheme::Http || is_address(name) || name == "localhost" => {
                Some(name.trim_matches(['[', ']']))
            }
            Host::Exactly(_) | Host::Below(_) => None,
        }
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a path fits a pattern in which `*` is any text. What servers disagree about fits no pattern that does not write
/// it out: parameters after `;`, backslashes, empty and dotted parts, and escapes of any of these or of `%` itself.
fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last) && plain(pattern, path)
}

fn plain(pattern: &str, path: &str) -> bool {
    let written = |text: &str| pattern.contains(text);
    let signs = [";", "\\", "//"].into_iter().all(|sign| !path.contains(sign) || written(sign));
    let dots = path.split('/').all(|part| !matches!(part, "." | ".."));
    let mut escapes = path.match_indices('%').map(|(at, _)| path.get(at..at + 3));
    let escapes = escapes.all(|escape| {
        escape.is_some_and(|escape| {
            let byte = escape.get(1..).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            written(escape)
                || byte.is_some_and(|byte| byte > b' ' && !b"%/\\.;?#\x7f".contains(&byte) || byte == b' ')
        })
    });
    signs && dots && escapes && is_utf8(path)
}

/// Whether the escaped bytes of a path are UTF-8: some servers read overlong forms of `/` and `.` as these.
fn is_utf8(path: &str) -> bool {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped =
            digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%');
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    std::str::from_utf8(&bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use fetch::{Method, Url};

    use super::{BadHostRule, HostRule};

    #[track_caller]
    fn check(rule: &str, request: &str, allowed: bool) {
        let rule: HostRule = rule.parse().expect(rule);
        let (method, url) = request.split_once(' ').expect("a method and a URL");
        let method: Method = method.parse().expect("a method");
        assert_eq!(rule.allows(&method, &Url::parse(url).expect("a URL")), allowed, "{rule}: {request}");
    }

    #[test]
    fn a_host_is_itself_and_no_other() {
        check("api.example.com", "GET https://api.example.com/x?y", true);
        check("API.example.com", "GET https://api.EXAMPLE.com/", true);
        check("api.example.com", "GET https://example.com/", false);
        check("api.example.com", "GET https://api.example.com.evil.org/", false);
        check("api.example.com", "GET https://evil.org/api.example.com", false);
        check("api.example.com", "GET https://api.example.com@evil.org/", false);
        check("api.example.com", "GET http://api.example.com/", false);
        check("api.example.com", "GET https://api.example.com:8443/", false);
        check("api.example.com:8443", "GET https://api.example.com:8443/", true);
    }

    #[test]
    fn a_star_is_one_or_more_parts_of_a_name() {
        check("*.example.com", "GET https://a.example.com/", true);
        check("*.example.com", "GET https://a.b.example.com/", true);
        check("*.example.com", "GET https://example.com/", false);
        check("*.example.com", "GET https://evilexample.com/", false);
    }

    #[test]
    fn methods_and_paths_can_be_bound_too() {
        let rule = "GET,POST api.example.com/v1/*";
        check(rule, "POST https://api.example.com/v1/items", true);
        check(rule, "DELETE https://api.example.com/v1/items", false);
        check(rule, "GET https://api.example.com/v2/items", false);
        check(rule, "GET https://api.example.com/v1/../v2/items", false);
        check(rule, "GET https://api.example.com/v1/%2e%2e/v2", false);
        check(rule, "GET https://api.example.com/v1/..%2fv2", false);
        for path in [
            "..;/v2",
            "..;a=b/v2",
            "%252e%252e/v2",
            "..%252fv2",
            "%252e%252e%252fv2",
            "%25252e",
            "%2e%2e%5cv2",
            "..%5cv2",
            "..%3b/v2",
            "/v2",
            "%00",
            "%c0%ae%c0%ae/v2",
            "%c0%af..%c0%afv2",
            "%e0%80%af",
            "%u002e%u002e/v2",
            "%",
            "%2",
        ] {
            check(rule, &format!("GET https://api.example.com/v1/{path}"), false);
        }
        for path in ["a%20b", "%C3%A9t%C3%A9", "a.b", "...", "a%2Cb"] {
            check(rule, &format!("GET https://api.example.com/v1/{path}"), true);
        }
        check("a.example.com/x/*/y", "GET https://a.example.com/x/1/2/y", true);
        check("a.example.com/x/*/y", "GET https://a.example.com/x/1/2/z", false);
        check("a.example.com/x", "GET https://a.example.com/xy", false);
    }

    #[test]
    fn private_hosts_are_those_named_as_such() {
        let private = |rule: &str| rule.parse::<HostRule>().expect(rule).private_host().map(str::to_owned);
        assert_eq!(private("http://nas.home:5000").as_deref(), Some("nas.home"));
        assert_eq!(private("10.0.0.5").as_deref(), Some("10.0.0.5"));
        assert_eq!(private("[::1]:8443").as_deref(), Some("::1"));
        assert_eq!(private("localhost:8443").as_deref(), Some("localhost"));
        assert_eq!(private("api.example.com"), None);
        check("http://127.0.0.1:8080", "GET http://127.0.0.1:8080/", true);
        check("http://127.0.0.1:8080", "GET https://127.0.0.1:8080/", false);
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for (text, bad) in [
            ("", BadHostRule::Host),
            ("a b c", BadHostRule::Method),
            ("get example.com", BadHostRule::Method),
            ("*", BadHostRule::Wildcard),
            ("*.com", BadHostRule::Wildcard),
            ("a.*.com", BadHostRule::Wildcard),
            ("http://*.example.com", BadHostRule::OpenWildcard),
            ("user@example.com", BadHostRule::Host),
            ("example.com?x", BadHostRule::Host),
            ("*.10.0.0.1", BadHostRule::Wildcard),
        ] {
            assert_eq!(text.parse::<HostRule>(), Err(bad), "{text}");
        }
    }
}
