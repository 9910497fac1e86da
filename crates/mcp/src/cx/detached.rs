//! A context without a client, so that a handler can be called by itself.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::cancel::Cancel;
use crate::caps::Caps;
use crate::input::InputResponses;
use crate::version::Version;

use super::{Caller, Cx, Outlet};

/// Nobody listens.
struct Nowhere;

impl Outlet for Nowhere {
    fn notify(&self, _: Vec<u8>) {}

    fn insist(&self, _: Vec<u8>) -> bool {
        false
    }
}

impl Cx {
    /// A context for unit tests of handlers: a modern client that can do nothing, and nobody who listens.
    ///
    /// ```
    /// use mcp::{Caps, Cx, Stop};
    ///
    /// let cx = Cx::detached();
    /// assert!(matches!(cx.approval("sure", "Delete it?"), Err(Stop::Fail(_))));
    /// let cx = cx.with_caps(Caps::default().with_form());
    /// assert!(matches!(cx.approval("sure", "Delete it?"), Err(Stop::InputRequired(_))));
    /// let cx = cx.with_response("sure", &serde_json::json!({ "action": "accept" }));
    /// assert!(matches!(cx.approval("sure", "Delete it?"), Ok(true)));
    /// ```
    pub fn detached() -> Cx {
        Cx {
            version: Version::MODERN,
            caps: Caps::default(),
            caller: Arc::default(),
            outlet: Arc::new(Nowhere),
            progress: None,
            log_level: None,
            responses: None,
            cancel: Cancel::default(),
            client: None,
            meta: None,
        }
    }

    /// The same for a client with these capabilities.
    #[must_use]
    pub fn with_caps(self, caps: Caps) -> Cx {
        Cx { caps, ..self }
    }

    /// The same for this caller.
    #[must_use]
    pub fn with_caller(self, caller: Caller) -> Cx {
        Cx { caller: Arc::new(caller), ..self }
    }

    /// The same with a response to the request for input of this key.
    #[must_use]
    pub fn with_response(self, key: &str, response: &impl Serialize) -> Cx {
        let mut responses: InputResponses = self.responses.as_deref().cloned().unwrap_or_default();
        if let Ok(raw) = to_raw_value(response) {
            responses.requested.insert(key.to_owned());
            responses.given.insert(key.to_owned(), raw);
        }
        Cx { responses: Some(Arc::new(responses)), ..self }
    }

    /// The same with this `_meta`, an object.
    #[must_use]
    pub fn with_request_meta(self, meta: &impl Serialize) -> Cx {
        Cx { meta: to_raw_value(meta).ok().map(Arc::from), ..self }
    }

    /// Gives up on it, as a client does.
    pub fn cancel(&self) {
        self.cancel.set();
    }
}
