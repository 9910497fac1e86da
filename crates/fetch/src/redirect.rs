//! Where a redirect leads, and what of the request goes along.

use http::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, LOCATION, USER_AGENT};
use http::{HeaderMap, Method, StatusCode, header};
use url::Url;

use crate::access::Access;
use crate::error::{FetchError, Site};
use crate::request::Request;

/// Which redirects are followed. Every one is checked like the first URL, and none leads from `https` to `http`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Redirects {
    /// Anywhere the client may go. Another host gets neither credentials nor any other header of the caller's, nor a body.
    #[default]
    Follow,
    /// On the same host and port only; any other is an error.
    SameHost,
    /// None: the redirect itself is the answer.
    Never,
}

/// What is safe to tell a host the caller did not name.
const KEPT_OFF_HOST: [header::HeaderName; 4] = [ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, USER_AGENT];

/// Whether this answer is a redirect that is to be followed.
pub(crate) fn is_redirect(status: StatusCode, redirects: Redirects) -> bool {
    redirects != Redirects::Never && matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Turns the request into the one the redirect asks for.
pub(crate) fn follow(
    request: &mut Request,
    status: StatusCode,
    headers: &HeaderMap,
    access: &Access,
) -> Result<(), FetchError> {
    let site = Site::of(&request.url);
    let bad = || FetchError::BadRedirect { site: site.clone() };
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok()).ok_or_else(bad)?;
    let target = request.url.join(location).map_err(|_| bad())?;
    access.check(&target)?;
    if request.url.scheme() == "https" && target.scheme() != "https" {
        return Err(FetchError::Downgrade { site, target: Site::of(&target) });
    }
    let same = same_host(&request.url, &target);
    if !same && request.redirects == Redirects::SameHost {
        return Err(FetchError::OffHost { site, target: Site::of(&target) });
    }
    // 303 always, and 301 and 302 by the habit of every browser: what was posted is not posted again.
    let becomes_get = match status.as_u16() {
        303 => request.method != Method::HEAD,
        301 | 302 => request.method == Method::POST,
        _ => false,
    };
    if becomes_get {
        request.method = Method::GET;
        request.body = bytes::Bytes::new();
        for name in [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_LANGUAGE] {
            request.headers.remove(name);
        }
    }
    if !same {
        if !request.body.is_empty() {
            return Err(FetchError::OffHost { site, target: Site::of(&target) });
        }
        let mut kept = HeaderMap::new();
        for name in KEPT_OFF_HOST {
            if let Some(value) = request.headers.get(&name).filter(|value| !value.is_sensitive()) {
                kept.insert(name, value.clone());
            }
        }
        request.headers = kept;
    }
    request.url = target;
    Ok(())
}

/// The same host and port; from `http` to `https` on their own ports is the same host as well.
fn same_host(from: &Url, to: &Url) -> bool {
    let upgrade = from.scheme() == "http" && to.scheme() == "https" && from.port().or(to.port()).is_none();
    from.host() == to.host() && (upgrade || from.port_or_known_default() == to.port_or_known_default())
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
    use url::Url;

    use super::{Redirects, follow};
    use crate::access::Access;
    use crate::error::FetchError;
    use crate::request::Request;

    fn post(from: &str) -> Request {
        let request = Request::new(Method::POST, Url::parse(from).expect(from)).body("body");
        request
            .header(header::ACCEPT, HeaderValue::from_static("text/html"))
            .header(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"))
            .secret_header("x-api-key", b"key")
            .expect("a header")
    }

    fn redirected(mut request: Request, status: u16, to: &str) -> Result<Request, FetchError> {
        let status = StatusCode::from_u16(status).expect("a status");
        let headers = HeaderMap::from_iter([(header::LOCATION, HeaderValue::from_str(to).expect(to))]);
        follow(&mut request, status, &headers, &Access::public()).map(|()| request)
    }

    #[test]
    fn another_host_gets_no_credentials_and_no_body() {
        let request = redirected(post("https://a.example/x"), 302, "https://b.example/").expect("followed");
        assert_eq!(request.method, Method::GET);
        assert_eq!(request.headers.keys().collect::<Vec<_>>(), [header::ACCEPT]);
        assert!(request.body.is_empty());
        let refused = redirected(post("https://a.example/x"), 307, "https://b.example/").err();
        assert!(matches!(refused, Some(FetchError::OffHost { .. })), "{refused:?}");
    }

    #[test]
    fn the_same_host_gets_everything_again() {
        let request = redirected(post("https://a.example/x"), 308, "/y?z").expect("followed");
        assert_eq!(request.url.as_str(), "https://a.example/y?z");
        assert_eq!((request.method, request.headers.len()), (Method::POST, 3));
        assert_eq!(request.body, "body");
    }

    #[test]
    fn another_host_port_or_a_lesser_scheme_is_refused() {
        let strict = || post("https://a.example/x").redirects(Redirects::SameHost);
        for to in ["https://b.example/", "https://a.example:8443/", "//b.a.example/"] {
            let refused = redirected(strict(), 303, to).err();
            assert!(matches!(refused, Some(FetchError::OffHost { .. })), "{to}: {refused:?}");
        }
        let refused = redirected(post("https://a.example/x"), 303, "http://a.example/").err();
        assert!(matches!(refused, Some(FetchError::Downgrade { .. })), "{refused:?}");
        let upgraded = post("http://a.example/x").redirects(Redirects::SameHost);
        assert!(redirected(upgraded, 301, "https://a.example/x").is_ok());
    }

    #[test]
    fn a_redirect_is_checked_like_the_first_url() {
        for to in [
            "http://127.0.0.1/",
            "https://169.254.169.254/latest",
            "ftp://a.example/",
            "https://u@a.example/",
        ] {
            assert!(redirected(post("http://a.example/"), 303, to).is_err(), "{to}");
        }
    }
}
