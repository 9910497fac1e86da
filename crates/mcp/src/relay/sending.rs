//! A request of our client as a request of ours.

use std::sync::Arc;

use crate::args;
use crate::client::{Call, Client, Error, Notes, write_version};
use crate::code;
use crate::cx::Cx;
use crate::fail::Fail;
use crate::json::{self, ObjectWriter};
use crate::request::{Reference, Request, Target};
use crate::service::{Handled, Outcome};
use crate::surface::Surface;

use super::answering::{Expected, OF_FAR_SIDE};
use super::{Inner, Trouble};

/// Where a request must go: what began at one side cannot go on at the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Either,
    Far,
    Fallback,
}

impl Route {
    pub(super) fn of(cx: &Cx) -> Route {
        let Some(responses) = &cx.responses else { return Route::Either };
        match &responses.state {
            Some(state) if state.starts_with(OF_FAR_SIDE) => Route::Far,
            None if responses.requested.is_empty() => Route::Either,
            Some(_) | None => Route::Fallback,
        }
    }
}

impl Inner {
    /// Connects first; where nobody is there, the fallback serves the request.
    pub(super) async fn reach_and_call(self: Arc<Self>, message: &str, route: Route, cx: Cx) -> Outcome {
        // Twice at most: the connection may end between being there and being used.
        for _ in 0..2 {
            let reached = match route {
                Route::Fallback => Err(Trouble::Absent),
                Route::Far | Route::Either => self.reach().await,
            };
            let client = match reached {
                Ok(client) => client,
                Err(Trouble::Absent) if route != Route::Far => return self.fall_back(message, cx).await,
                Err(trouble) => return Outcome::Fail(self.explain(&trouble)),
            };
            let sent = {
                let Some(request) = Request::again(message) else { return unreadable() };
                self.send(&client, &request, &cx).map(|call| (call, Expected::of(&request)))
            };
            match sent {
                Ok((call, expected)) => return self.finish(call, expected, cx).await,
                Err(Error::Closed) => {}
                Err(error) => return Outcome::Fail(self.explain(&Trouble::Call(error))),
            }
        }
        Outcome::Fail(self.explain(&Trouble::Absent))
    }

    async fn fall_back(&self, message: &str, cx: Cx) -> Outcome {
        let Some(fallback) = &self.options.fallback else {
            return Outcome::Fail(self.explain(&Trouble::Absent));
        };
        let handled = {
            let Some(request) = Request::again(message) else { return unreadable() };
            if offers(&self.surface, &request) && !offers(&fallback.surface(), &request) {
                return Outcome::Fail(self.explain(&Trouble::Absent));
            }
            fallback.handle(&request, cx)
        };
        match handled {
            Handled::Now(outcome) => outcome,
            Handled::Later(future) => future.await,
        }
    }

    pub(super) fn send(&self, client: &Client, request: &Request<'_>, cx: &Cx) -> Result<Call, Error> {
        let wants_log = cx.log_level.is_some() && self.surface.features.logging;
        let notes = if cx.wants_progress() || wants_log { Notes::Wanted } else { Notes::Ignored };
        client.request(&request.method, notes, |token, out| {
            if let Some(raw) = request.params() {
                // Room for all of it at once: what grows leaves copies behind.
                out.reserve(raw.get().len() + 1024);
            }
            let mut params = ObjectWriter::open(out);
            write_target(&mut params, request);
            write_input(&mut params, cx);
            let mut meta = ObjectWriter::open(params.member("_meta"));
            write_version(&mut meta);
            cx.caps.write_relayed(meta.member("io.modelcontextprotocol/clientCapabilities"));
            if let Some(client) = &cx.client {
                meta.raw("io.modelcontextprotocol/clientInfo", client.as_bytes());
            }
            if let Some(level) = cx.log_level.filter(|_| wants_log) {
                meta.string("io.modelcontextprotocol/logLevel", level.as_str());
            }
            if notes == Notes::Wanted {
                meta.value("progressToken", &token);
            }
            for (key, value) in &self.options.extras {
                if let Some(value) = value(request, cx) {
                    meta.raw(key, value.get().as_bytes());
                }
            }
            meta.close();
            params.close();
        })
    }
}

/// Whether what a request is for is among the offers.
fn offers(surface: &Surface, request: &Request<'_>) -> bool {
    let has_prompt = |name: &str| surface.prompts().iter().any(|prompt| prompt.name == name);
    match &request.target {
        Target::Tool { name, .. } => surface.tool(name).is_some(),
        Target::Resource { uri } => surface.covers(uri),
        Target::Prompt { name, .. } | Target::Completion { reference: Reference::Prompt(name), .. } => {
            has_prompt(name)
        }
        Target::Completion { reference: Reference::Template(uri), .. } => {
            surface.resources().iter().any(|resource| resource.uri == *uri)
        }
        Target::Method { name } => surface.has_method(name),
    }
}

fn unreadable() -> Outcome {
    Outcome::Fail(Fail::rpc(code::INTERNAL_ERROR, "The request cannot be read a second time"))
}

fn write_target(params: &mut ObjectWriter<'_>, request: &Request<'_>) {
    match &request.target {
        Target::Tool { name, arguments } | Target::Prompt { name, arguments } => {
            params.string("name", name);
            if let Some(arguments) = arguments {
                params.raw("arguments", arguments.get().as_bytes());
            }
        }
        Target::Resource { uri } => drop(params.string("uri", uri)),
        Target::Completion { reference, argument, value, others } => {
            let mut inner = ObjectWriter::open(params.member("ref"));
            match reference {
                Reference::Prompt(name) => inner.string("type", "ref/prompt").string("name", name),
                Reference::Template(uri) => inner.string("type", "ref/resource").string("uri", uri),
            };
            inner.close();
            let mut inner = ObjectWriter::open(params.member("argument"));
            inner.string("name", argument).string("value", value);
            inner.close();
            if let Some(others) = others {
                let mut inner = ObjectWriter::open(params.member("context"));
                inner.raw("arguments", others.get().as_bytes());
                inner.close();
            }
        }
        Target::Method { .. } => {
            let arguments = request.params().map(args::without_meta);
            let members = arguments.as_deref().and_then(|raw| raw.get().strip_prefix('{')?.strip_suffix('}'));
            params.members(members.unwrap_or_default().trim());
        }
    }
}

/// The input a further round brings. The far side's own state goes back to it as it was.
fn write_input(params: &mut ObjectWriter<'_>, cx: &Cx) {
    let Some(responses) = &cx.responses else { return };
    json::value(params.member("inputResponses"), &responses.given);
    if let Some(state) = responses.state.as_deref().and_then(|state| state.strip_prefix(OF_FAR_SIDE)) {
        params.string("requestState", state);
    }
}
