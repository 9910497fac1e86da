//! Asking the person at the other end: questions, answers, and what is kept between the two.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::caps::Caps;
use crate::schema;

/// Something only the client, its model or the person in front of it can answer.
#[derive(Debug, Clone)]
pub enum Question {
    /// A form for the person.
    Form {
        /// What to say above the form.
        message: String,
        /// A flat object schema: one property a field.
        schema: Value,
    },
    /// A page the person is to open, for what must not pass through the client.
    Url {
        /// Why they should open it.
        message: String,
        /// The page.
        url: String,
        /// Names this visit.
        id: String,
    },
    /// A message for the client's model; the parameters of `sampling/createMessage`.
    Sample(Value),
    /// The folders the client works in.
    Roots,
}

impl Question {
    /// A form whose fields are those of `T`.
    pub fn form<T: JsonSchema>(message: impl Into<String>) -> Question {
        Question::Form { message: message.into(), schema: schema::of::<T>() }
    }

    /// A plain yes or no: an empty form, answered by accepting or declining it.
    pub fn confirm(message: impl Into<String>) -> Question {
        Question::Form { message: message.into(), schema: json!({ "type": "object", "properties": {} }) }
    }

    pub(crate) fn method(&self) -> &'static str {
        match self {
            Question::Form { .. } | Question::Url { .. } => "elicitation/create",
            Question::Sample(_) => "sampling/createMessage",
            Question::Roots => "roots/list",
        }
    }

    pub(crate) fn params(&self, with_mode: bool) -> Value {
        match self {
            Question::Form { message, schema } if with_mode => {
                json!({ "mode": "form", "message": message, "requestedSchema": schema })
            }
            Question::Form { message, schema } => json!({ "message": message, "requestedSchema": schema }),
            Question::Url { message, url, id } => {
                json!({ "mode": "url", "message": message, "url": url, "elicitationId": id })
            }
            Question::Sample(params) => params.clone(),
            Question::Roots => json!({}),
        }
    }

    pub(crate) fn allowed_by(&self, caps: Caps) -> bool {
        match self {
            Question::Form { .. } => caps.form,
            Question::Url { .. } => caps.url,
            Question::Sample(_) => caps.sampling,
            Question::Roots => caps.roots,
        }
    }

    pub(crate) fn capability_name(&self) -> &'static str {
        match self {
            Question::Form { .. } => "elicitation",
            Question::Url { .. } => "elicitation.url",
            Question::Sample(_) => "sampling",
            Question::Roots => "roots",
        }
    }

    pub(crate) fn capability(&self) -> Value {
        match self {
            Question::Form { .. } => json!({ "elicitation": { "form": {} } }),
            Question::Url { .. } => json!({ "elicitation": { "url": {} } }),
            Question::Sample(_) => json!({ "sampling": {} }),
            Question::Roots => json!({ "roots": {} }),
        }
    }
}

/// The questions a handler stopped for, by keys of its own choosing.
#[derive(Debug, Default)]
pub struct Asks {
    pub(crate) questions: Vec<(String, Question)>,
    pub(crate) state: Option<String>,
}

impl Asks {
    /// Stops for one question.
    pub fn one(key: impl Into<String>, question: Question) -> Asks {
        Asks { questions: vec![(key.into(), question)], state: None }
    }

    /// Stops for nothing but to be called again with this state.
    pub fn again(state: impl Into<String>) -> Asks {
        Asks { questions: Vec::new(), state: Some(state.into()) }
    }

    /// Asks this as well, at the same time.
    pub fn and(mut self, key: impl Into<String>, question: Question) -> Asks {
        self.questions.push((key.into(), question));
        self
    }

    /// Whether there is nothing to stop for.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty() && self.state.is_none()
    }

    /// Text to be handed back with the answers by [`Cx::state`](crate::Cx::state). The client carries
    /// it but cannot change it; it can read it, so no secrets.
    pub fn with_state(mut self, state: impl Into<String>) -> Asks {
        self.state = Some(state.into());
        self
    }
}

/// What came back, over all rounds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Answers {
    #[serde(rename = "a", default)]
    pub(crate) given: BTreeMap<String, Box<RawValue>>,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<String>,
    /// What we really asked; a client may send answers along that nobody asked for.
    #[serde(rename = "k", default)]
    pub(crate) asked: BTreeSet<String>,
}

impl Answers {
    pub(crate) fn note_questions(&mut self, asks: &Asks) {
        self.asked.extend(asks.questions.iter().map(|(key, _)| key.clone()));
    }
}

/// One answer, as the client sent it.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a>(pub(crate) &'a RawValue);

/// What the person did with a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form<T> {
    /// Filled it in.
    Accepted(T),
    /// Said no.
    Declined,
    /// Closed it.
    Cancelled,
}

#[derive(Deserialize)]
struct FormAnswer<'a> {
    action: &'a str,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

impl<'a> Answer<'a> {
    /// The answer to a form; `None` when it does not fit `T`.
    pub fn form<T: DeserializeOwned>(self) -> Option<Form<T>> {
        let answer: FormAnswer<'_> = self.read()?;
        match answer.action {
            "accept" => {
                serde_json::from_str(answer.content.map_or("{}", RawValue::get)).ok().map(Form::Accepted)
            }
            "decline" => Some(Form::Declined),
            "cancel" => Some(Form::Cancelled),
            _ => None,
        }
    }

    /// Whether the person accepted, whatever they filled in.
    pub fn accepted(self) -> bool {
        self.read::<FormAnswer<'_>>().is_some_and(|answer| answer.action == "accept")
    }

    /// The answer as any type that fits its JSON.
    pub fn read<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.0.get()).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Answer, Form};

    #[test]
    fn a_form_answer_is_accepted_declined_or_useless() {
        let read = |text: &str| {
            let raw = RawValue::from_string(text.to_owned()).expect("JSON");
            Answer(&raw).form::<std::collections::BTreeMap<String, String>>()
        };
        let filled = read(r#"{"action":"accept","content":{"name":"Ann"}}"#);
        assert_eq!(filled, Some(Form::Accepted([("name".into(), "Ann".into())].into())));
        assert_eq!(read(r#"{"action":"decline"}"#), Some(Form::Declined));
        assert_eq!(read(r#"{"action":"accept","content":{"name":5}}"#), None);
        assert_eq!(read("7"), None);
    }
}
