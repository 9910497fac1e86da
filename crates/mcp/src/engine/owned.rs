//! A request that outlives the message it came in, to be handled again.

use serde_json::value::RawValue;

use crate::seal::Binding;
use crate::service::{Request, Wanted};

/// The parts of a request a handler is run again with.
pub(crate) struct OwnedRequest {
    pub(crate) method: String,
    kind: Kind,
    pub(crate) name: String,
    pub(crate) arguments: Option<Box<RawValue>>,
    params: Option<Box<RawValue>>,
}

enum Kind {
    Tool,
    Method,
    Resource,
    Prompt,
    /// Suggestions: they never ask, so they are never handled again.
    Once,
}

impl OwnedRequest {
    /// `whole` keeps the parameters as they came, for a service that passes them on.
    pub(crate) fn new(method: &str, request: Request<'_>, whole: bool) -> OwnedRequest {
        let (kind, name, arguments) = match request.ask {
            Wanted::Tool { name, arguments } => (Kind::Tool, name, arguments),
            Wanted::Method { name } => (Kind::Method, name, request.params()),
            Wanted::Resource { uri } => (Kind::Resource, uri, None),
            Wanted::Prompt { name, arguments } => (Kind::Prompt, name, arguments),
            Wanted::Completion(_) => (Kind::Once, "", None),
        };
        // A bare method's arguments are its parameters: one copy is enough.
        let params = if whole && !matches!(kind, Kind::Method) { request.params() } else { None };
        OwnedRequest {
            method: method.to_owned(),
            kind,
            name: name.to_owned(),
            arguments: arguments.map(ToOwned::to_owned),
            params: params.map(ToOwned::to_owned),
        }
    }

    /// The request again; `None` for one that is only handled once.
    pub(crate) fn borrowed(&self) -> Option<Request<'_>> {
        let arguments = self.arguments.as_deref();
        let params = self.params.as_deref();
        let name = self.name.as_str();
        Some(match self.kind {
            Kind::Tool => Request::new(Wanted::Tool { name, arguments }, params),
            Kind::Method => Request::new(Wanted::Method { name }, arguments),
            Kind::Resource => Request::new(Wanted::Resource { uri: name }, params),
            Kind::Prompt => Request::new(Wanted::Prompt { name, arguments }, params),
            Kind::Once => return None,
        })
    }

    /// What a sealed state is tied to.
    pub(crate) fn binding<'a>(&'a self, principal: &'a str) -> Binding<'a> {
        Binding {
            method: &self.method,
            name: &self.name,
            arguments: self.arguments.as_ref().map(|raw| raw.get()),
            principal,
        }
    }

    /// Whether a modern answer may be a question: bare methods have no such form.
    pub(crate) fn may_ask(&self) -> bool {
        matches!(self.kind, Kind::Tool | Kind::Resource | Kind::Prompt)
    }
}
