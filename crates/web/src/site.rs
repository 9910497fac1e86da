//! The endpoints, pages and routers of a listener, by path.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use mcp::Caller;
use mcp::http::Endpoint;
use tower_service::Service;

use crate::body::Body;
use crate::gate::Credential;
use crate::page::Page;

/// The endpoints, pages and routers of a listener, by path.
#[derive(Default)]
pub struct Site {
    endpoints: HashMap<String, Endpoint>,
    pages: HashMap<String, Page>,
    routers: Vec<Mounted>,
}

struct Mounted {
    root: String,
    router: Router,
    credential: Credential,
}

impl Site {
    /// Serves MCP at `path`.
    pub fn endpoint(mut self, path: impl Into<String>, endpoint: Endpoint) -> Site {
        self.endpoints.insert(path.into(), endpoint);
        self
    }

    /// Shows a page at `path`.
    pub fn page(mut self, path: impl Into<String>, page: Page) -> Site {
        self.pages.insert(path.into(), page);
        self
    }

    /// Leaves `path` and everything below it to a router, which sees the whole path and lets nobody in without a
    /// credential of its own: the token of the listener is not asked for.
    pub fn router(self, path: impl Into<String>, router: Router) -> Site {
        self.mount(path.into(), router, Credential::TheirOwn)
    }

    /// Like [`router`](Site::router), for one without a credential of its own: it is reached with the token of the
    /// listener, or by a browser that was let in.
    pub fn guarded_router(self, path: impl Into<String>, router: Router) -> Site {
        self.mount(path.into(), router, Credential::Token)
    }

    /// Like [`guarded_router`](Site::guarded_router), for pages on which only the person acts: neither the token nor being a
    /// program of the same user lets anybody in, only a link that a browser opened.
    pub fn private_router(self, path: impl Into<String>, router: Router) -> Site {
        self.mount(path.into(), router, Credential::Browser)
    }

    fn mount(mut self, root: String, router: Router, credential: Credential) -> Site {
        self.routers.push(Mounted { root, router, credential });
        self
    }

    /// What somebody needs to get to a path.
    pub(crate) fn credential(&self, path: &str) -> Credential {
        self.router_at(path).map_or(Credential::Token, |mounted| mounted.credential)
    }

    fn router_at(&self, path: &str) -> Option<&Mounted> {
        let is_below = |root: &str| {
            let rest = path.strip_prefix(root.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let own = trimmed(path);
        let is_ours = self.endpoints.contains_key(own) || self.pages.contains_key(own);
        self.routers.iter().find(|mounted| !is_ours && is_below(&mounted.root))
    }

    pub(crate) async fn respond<B>(&self, request: Request<B>, caller: Arc<Caller>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes, Error: std::error::Error + Send + Sync> + Send + Unpin + 'static,
    {
        if let Some(mounted) = self.router_at(request.uri().path()) {
            return match mounted.router.clone().call(request).await {
                Ok(response) => response.map(Body::Routed),
                Err(never) => match never {},
            };
        }
        let path = trimmed(request.uri().path());
        if let Some(endpoint) = self.endpoints.get(path) {
            return endpoint.respond(request, caller).await.map(Body::Ours);
        }
        match (self.pages.get(path), request.method()) {
            (Some(page), &Method::GET | &Method::HEAD) => page.response(),
            (Some(_), _) => plain(StatusCode::METHOD_NOT_ALLOWED, "Only GET is answered here.\n"),
            (None, _) => plain(StatusCode::NOT_FOUND, "There is nothing here; `/` says what there is.\n"),
        }
    }

    /// Forgets what nobody came back for.
    pub(crate) fn sweep(&self) {
        self.endpoints.values().for_each(Endpoint::sweep);
    }

    /// Ends the streams that would go on for ever.
    pub(crate) fn close(&self) {
        self.endpoints.values().for_each(Endpoint::close);
    }
}

/// A path without slashes at its end, which people and clients add.
fn trimmed(path: &str) -> &str {
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::whole(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::Router;
    use axum::body::Body;
    use axum::routing::get;
    use http::Request;
    use mcp::Caller;

    use super::Site;
    use crate::gate::Credential;
    use crate::page::Page;

    fn site() -> Site {
        let router = Router::new().route("/cookbook", get(|| async { "book" }));
        let router = router.route("/cookbook/{page}", get(|| async { "a page of it" }));
        Site::default()
            .page("/cookbook/help", Page::new("help".into()))
            .router("/cookbook", router)
            .guarded_router("/desk", Router::new())
            .private_router("/drawer", Router::new())
    }

    async fn status(site: &Site, path: &str) -> u16 {
        let request = Request::get(path).body(Body::empty()).expect("a request");
        site.respond(request, Arc::new(Caller::default())).await.status().as_u16()
    }

    #[tokio::test]
    async fn a_router_has_its_path_and_what_is_below() {
        let site = site();
        for (path, expected) in [("/cookbook", 200), ("/cookbook/soups", 200), ("/cookbook/a/b", 404)] {
            assert_eq!(status(&site, path).await, expected, "{path}");
        }
        assert_eq!(status(&site, "/cookbooks").await, 404);
    }

    /// A router for everything leaves endpoints and pages alone, also with a slash at the end.
    #[tokio::test]
    async fn a_router_at_the_root_has_what_nobody_else_has() {
        let site = site().guarded_router("/", Router::new().route("/", get(|| async { "first" })));
        let expected = [
            ("/", 200),
            ("/cookbook", 200),
            ("/cookbook/help/", 200),
            ("/cookbook/help", 200),
            ("/nothing", 404),
        ];
        for (path, code) in expected {
            assert_eq!(status(&site, path).await, code, "{path}");
        }
        assert_eq!(site.credential("/"), Credential::Token);
        assert_eq!(site.credential("/cookbook"), Credential::TheirOwn);
    }

    /// Whatever has no credential of its own stays behind the listener's token.
    #[test]
    fn only_routers_go_without_the_token() {
        let site = site();
        for (path, expected) in [
            ("/cookbook", Credential::TheirOwn),
            ("/cookbook/soups", Credential::TheirOwn),
            ("/cookbook/help", Credential::Token),
            ("/cookbooks", Credential::Token),
            ("/desk/pictures", Credential::Token),
            ("/drawer/letters", Credential::Browser),
            ("/", Credential::Token),
        ] {
            assert_eq!(site.credential(path), expected, "{path}");
        }
    }
}
