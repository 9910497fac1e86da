//! A request, from the wire to the handler: one shape, made once for a message and borrowed from it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::echo::shown;
use crate::fail::Fail;
use crate::id::IdRef;
use crate::seal::Binding;
use crate::wire::{self, Message, Meta, Params};
use crate::wire::{invalid_params, optional_object, required_object, required_text};

/// A request, borrowed from the message it came in.
#[doc(alias("JSONRPCRequest", "ClientRequest"))]
pub struct Request<'a> {
    /// What it is for.
    pub target: Target<'a>,
    pub(crate) id: IdRef<'a>,
    pub(crate) method: Cow<'a, str>,
    pub(crate) params: Params<'a>,
    /// Whether it carries its own version: then it is served by itself, whatever came before.
    pub(crate) modern: bool,
    /// The whole message.
    text: &'a str,
}

/// What a request is for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Target<'a> {
    /// `tools/call`.
    #[doc(alias("CallToolRequest", "tools/call"))]
    Tool {
        /// The tool's name.
        name: Cow<'a, str>,
        /// Its arguments.
        arguments: Option<&'a RawValue>,
    },
    /// Any other method, such as that of a tool called by a method of its own; `params` are its arguments.
    Method {
        /// The method.
        name: Cow<'a, str>,
    },
    /// `resources/read`.
    #[doc(alias("ReadResourceRequest", "resources/read"))]
    Resource {
        /// The address.
        uri: Cow<'a, str>,
    },
    /// `prompts/get`.
    #[doc(alias("GetPromptRequest", "prompts/get"))]
    Prompt {
        /// The prompt's name.
        name: Cow<'a, str>,
        /// Its arguments.
        arguments: Option<&'a RawValue>,
    },
    /// `completion/complete`.
    #[doc(alias("CompleteRequest", "completion/complete"))]
    Completion {
        /// Of what.
        reference: Reference<'a>,
        /// The argument's name.
        argument: Cow<'a, str>,
        /// What is typed so far.
        value: Cow<'a, str>,
        /// The other arguments: a JSON object of strings.
        others: Option<&'a RawValue>,
    },
}

/// What can have arguments completed.
#[doc(alias("PromptReference", "ResourceTemplateReference"))]
#[derive(Debug, Clone)]
pub enum Reference<'a> {
    /// A prompt, by name.
    Prompt(Cow<'a, str>),
    /// A resource template.
    Template(Cow<'a, str>),
}

impl<'a> Request<'a> {
    /// A request as it was read. Its target is the method, until [`settle`](Request::settle) reads more.
    pub(crate) fn new(
        id: IdRef<'a>,
        method: Cow<'a, str>,
        params: &Params<'a>,
        text: &'a str,
    ) -> Request<'a> {
        let modern = params.meta.is_some_and(|meta| meta.0.version.is_some());
        Request { target: Target::Method { name: method.clone() }, id, method, params: *params, modern, text }
    }

    /// The request in a message that was served before, for a handler that runs again.
    pub(crate) fn again(text: &'a str) -> Option<Request<'a>> {
        let Ok(Message::Request(mut request)) = wire::message(text) else { return None };
        request.settle().ok()?;
        Some(request)
    }

    /// The message it came in.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn meta(&self) -> Meta<'a> {
        self.params.meta.unwrap_or_default().0
    }

    /// The whole `params`, for a service that passes them on.
    pub fn params(&self) -> Option<&'a RawValue> {
        wire::raw_params(self.text)
    }

    /// Reads what the parameters say about the target, where the method has some that do.
    pub(crate) fn settle(&mut self) -> Result<(), Fail> {
        let Params { name, uri, arguments, reference, argument, context, .. } = self.params;
        self.target = match self.method.as_ref() {
            "tools/call" => Target::Tool {
                name: required_text(name, "name")?,
                arguments: optional_object(arguments, "arguments")?,
            },
            "resources/read" => Target::Resource { uri: required_text(uri, "uri")? },
            "prompts/get" => Target::Prompt {
                name: required_text(name, "name")?,
                arguments: optional_object(arguments, "arguments")?,
            },
            "completion/complete" => completion(reference, argument, context)?,
            _ => return Ok(()),
        };
        Ok(())
    }

    /// What a sealed state is tied to.
    pub(crate) fn binding<'b>(&'b self, principal: &'b str) -> Binding<'b> {
        let (name, arguments) = match &self.target {
            Target::Tool { name, arguments } | Target::Prompt { name, arguments } => {
                (name.as_ref(), *arguments)
            }
            Target::Method { name } => (name.as_ref(), self.params()),
            Target::Resource { uri } => (uri.as_ref(), None),
            Target::Completion { .. } => ("", None),
        };
        Binding { method: &self.method, name, arguments: arguments.map(RawValue::get), principal }
    }

    /// Whether a modern response may require input: bare methods have no such form.
    pub(crate) fn may_require_input(&self) -> bool {
        match self.target {
            Target::Tool { .. } | Target::Resource { .. } | Target::Prompt { .. } => true,
            Target::Method { .. } | Target::Completion { .. } => false,
        }
    }
}

fn completion<'a>(
    reference: Option<&'a RawValue>,
    argument: Option<&'a RawValue>,
    context: Option<&'a RawValue>,
) -> Result<Target<'a>, Fail> {
    #[derive(Deserialize)]
    struct Ref<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
        #[serde(borrow, default)]
        name: Cow<'a, str>,
        #[serde(borrow, default)]
        uri: Cow<'a, str>,
    }
    #[derive(Deserialize)]
    struct Argument<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
        #[serde(borrow)]
        value: Cow<'a, str>,
    }
    #[derive(Deserialize)]
    struct Context<'a> {
        #[serde(borrow, default)]
        arguments: Option<&'a RawValue>,
    }
    let reference: Ref<'a> = required_object(reference, "ref")?;
    let argument: Argument<'a> = required_object(argument, "argument")?;
    let others = match context {
        None => None,
        Some(raw) => required_object::<Context<'a>>(Some(raw), "context")?.arguments,
    };
    let reference = match reference.kind.as_ref() {
        "ref/prompt" => Reference::Prompt(reference.name),
        "ref/resource" => Reference::Template(reference.uri),
        other => {
            return Err(invalid_params(format!(
                "`params.ref.type` must be `ref/prompt` or `ref/resource`, not `{}`",
                shown(other)
            )));
        }
    };
    Ok(Target::Completion { reference, argument: argument.name, value: argument.value, others })
}
