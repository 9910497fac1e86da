//! What a handler needs from the other end before it goes on: an elicitation for the person, a message of the client's
//! model, the client's roots; and what came back.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::caps::Caps;
use crate::schema;

/// Something only the client, its model or the person in front of it can answer.
#[doc(alias("ElicitRequest", "CreateMessageRequest", "ListRootsRequest"))]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum InputRequest {
    /// An elicitation: a form for the person.
    Form {
        /// What to say above the form.
        message: String,
        /// A flat object schema: one property a field.
        schema: Value,
    },
    /// An elicitation: a page the person is to open, for what must not pass through the client.
    Url {
        /// Why they should open it.
        message: String,
        /// The page.
        url: String,
        /// Names this visit.
        id: String,
    },
    /// A message for the client's model; the parameters of `sampling/createMessage`.
    Sampling(Value),
    /// The folders the client works in.
    Roots,
}

impl InputRequest {
    /// A form whose fields are those of `T`.
    pub fn form<T: JsonSchema>(message: impl Into<String>) -> InputRequest {
        InputRequest::Form { message: message.into(), schema: schema::of::<T>() }
    }

    /// A plain yes or no: an empty form, answered by accepting or declining it.
    pub fn confirm(message: impl Into<String>) -> InputRequest {
        InputRequest::Form { message: message.into(), schema: json!({ "type": "object", "properties": {} }) }
    }

    /// Reads a request as it stands in a result of 2026-07-28; `None` where it is of no kind we know.
    pub(crate) fn from_wire(method: &str, params: Value) -> Option<InputRequest> {
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        match (method, params.get("mode").and_then(Value::as_str)) {
            ("elicitation/create", Some("url")) => Some(InputRequest::Url {
                message: text("message")?,
                url: text("url")?,
                id: text("elicitationId").unwrap_or_default(),
            }),
            ("elicitation/create", None | Some("form")) => Some(InputRequest::Form {
                message: text("message")?,
                schema: params.get("requestedSchema").cloned().filter(Value::is_object)?,
            }),
            ("sampling/createMessage", _) => Some(InputRequest::Sampling(params)),
            ("roots/list", _) => Some(InputRequest::Roots),
            _ => None,
        }
    }

    pub(crate) fn method(&self) -> &'static str {
        match self {
            InputRequest::Form { .. } | InputRequest::Url { .. } => "elicitation/create",
            InputRequest::Sampling(_) => "sampling/createMessage",
            InputRequest::Roots => "roots/list",
        }
    }

    pub(crate) fn params(&self, with_mode: bool) -> Value {
        match self {
            InputRequest::Form { message, schema } if with_mode => {
                json!({ "mode": "form", "message": message, "requestedSchema": schema })
            }
            InputRequest::Form { message, schema } => {
                json!({ "message": message, "requestedSchema": schema })
            }
            InputRequest::Url { message, url, id } => {
                json!({ "mode": "url", "message": message, "url": url, "elicitationId": id })
            }
            InputRequest::Sampling(params) => params.clone(),
            InputRequest::Roots => json!({}),
        }
    }

    pub(crate) fn allowed_by(&self, caps: Caps) -> bool {
        match self {
            InputRequest::Form { .. } => caps.form,
            InputRequest::Url { .. } => caps.url,
            InputRequest::Sampling(_) => caps.sampling,
            InputRequest::Roots => caps.roots,
        }
    }

    pub(crate) fn capability_name(&self) -> &'static str {
        match self {
            InputRequest::Form { .. } => "elicitation",
            InputRequest::Url { .. } => "elicitation.url",
            InputRequest::Sampling(_) => "sampling",
            InputRequest::Roots => "roots",
        }
    }

    pub(crate) fn capability(&self) -> Value {
        match self {
            InputRequest::Form { .. } => json!({ "elicitation": { "form": {} } }),
            InputRequest::Url { .. } => json!({ "elicitation": { "url": {} } }),
            InputRequest::Sampling(_) => json!({ "sampling": {} }),
            InputRequest::Roots => json!({ "roots": {} }),
        }
    }
}

/// The requests a handler stopped for, by keys of its own choosing.
#[doc(alias("InputRequiredResult"))]
#[derive(Debug, Default)]
pub struct InputRequests {
    pub(crate) requests: Vec<(String, InputRequest)>,
    pub(crate) state: Option<String>,
}

impl InputRequests {
    /// Stops for one request.
    pub fn one(key: impl Into<String>, request: InputRequest) -> InputRequests {
        InputRequests { requests: vec![(key.into(), request)], state: None }
    }

    /// Stops for nothing but to be called again with this state.
    pub fn again(state: impl Into<String>) -> InputRequests {
        InputRequests { requests: Vec::new(), state: Some(state.into()) }
    }

    /// Requests this as well, at the same time.
    pub fn and(mut self, key: impl Into<String>, request: InputRequest) -> InputRequests {
        self.requests.push((key.into(), request));
        self
    }

    /// Whether there is nothing to stop for.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.state.is_none()
    }

    /// Text to be handed back with the responses by [`Cx::request_state`](crate::Cx::request_state). The client
    /// carries it but cannot change it; it can read it, so no secrets.
    pub fn with_state(mut self, state: impl Into<String>) -> InputRequests {
        self.state = Some(state.into());
        self
    }
}

/// What came back, over all rounds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct InputResponses {
    #[serde(rename = "a", default)]
    pub(crate) given: BTreeMap<String, Box<RawValue>>,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<String>,
    /// What we really requested; a client may send responses along that nobody requested.
    #[serde(rename = "k", default)]
    pub(crate) requested: BTreeSet<String>,
}

impl InputResponses {
    pub(crate) fn note(&mut self, requests: &InputRequests) {
        self.requested.extend(requests.requests.iter().map(|(key, _)| key.clone()));
    }
}

/// One response, as the client sent it.
#[doc(alias("CreateMessageResult", "ListRootsResult"))]
#[derive(Debug, Clone, Copy)]
pub struct InputResponse<'a>(pub(crate) &'a RawValue);

/// What the person did with an elicitation.
#[doc(alias = "ElicitResult")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elicited<T> {
    /// Filled it in.
    Accepted(T),
    /// Said no.
    Declined,
    /// Closed it.
    Cancelled,
}

#[derive(Deserialize)]
struct ElicitResult<'a> {
    action: &'a str,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

impl<'a> InputResponse<'a> {
    /// What the person did with a form; `None` when it does not fit `T`.
    pub fn elicited<T: DeserializeOwned>(self) -> Option<Elicited<T>> {
        let result: ElicitResult<'_> = self.read()?;
        match result.action {
            "accept" => {
                serde_json::from_str(result.content.map_or("{}", RawValue::get)).ok().map(Elicited::Accepted)
            }
            "decline" => Some(Elicited::Declined),
            "cancel" => Some(Elicited::Cancelled),
            _ => None,
        }
    }

    /// Whether the person accepted, whatever they filled in.
    pub fn accepted(self) -> bool {
        self.read::<ElicitResult<'_>>().is_some_and(|result| result.action == "accept")
    }

    /// The response as any type that fits its JSON.
    pub fn read<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.0.get()).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Elicited, InputResponse};

    #[test]
    fn a_form_answer_is_accepted_declined_or_useless() {
        let read = |text: &str| {
            let raw = RawValue::from_string(text.to_owned()).expect("JSON");
            InputResponse(&raw).elicited::<std::collections::BTreeMap<String, String>>()
        };
        let filled = read(r#"{"action":"accept","content":{"name":"Ann"}}"#);
        assert_eq!(filled, Some(Elicited::Accepted([("name".into(), "Ann".into())].into())));
        assert_eq!(read(r#"{"action":"decline"}"#), Some(Elicited::Declined));
        assert_eq!(read(r#"{"action":"accept","content":{"name":5}}"#), None);
        assert_eq!(read("7"), None);
    }
}
