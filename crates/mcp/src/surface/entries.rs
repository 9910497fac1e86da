//! Resources and prompts in the list: made of what was built in, or at run time.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::prompt::{PromptAbout, PromptArgument};
use crate::resource::ResourceAbout;

/// A resource or a template in the list.
#[doc(alias("Resource", "ResourceTemplate"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEntry {
    /// An address, or a pattern with variables: `screenshots://{id}/ocr`.
    pub uri: Cow<'static, str>,
    /// A short name.
    pub name: Cow<'static, str>,
    /// For people.
    pub title: Cow<'static, str>,
    /// For the model.
    pub description: Cow<'static, str>,
    /// Its media type.
    pub mime: Cow<'static, str>,
    /// Whether variables can be completed.
    pub completes: bool,
    /// JSON text passed through as `_meta`.
    pub meta: Option<Cow<'static, str>>,
}

impl ResourceEntry {
    pub(crate) fn is_template(&self) -> bool {
        self.uri.contains('{')
    }
}

impl From<ResourceAbout> for ResourceEntry {
    fn from(about: ResourceAbout) -> ResourceEntry {
        let ResourceAbout { uri, name, title, description, mime, completes, meta } = about;
        ResourceEntry {
            uri: uri.into(),
            name: name.into(),
            title: title.into(),
            description: description.into(),
            mime: mime.into(),
            completes,
            meta: meta.map(Cow::from),
        }
    }
}

/// A prompt in the list.
#[doc(alias = "Prompt")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptEntry {
    /// Unique among all prompts.
    pub name: Cow<'static, str>,
    /// For people.
    pub title: Cow<'static, str>,
    /// What it is good for.
    pub description: Cow<'static, str>,
    /// Its arguments.
    pub arguments: Vec<ArgumentEntry>,
    /// Whether arguments can be completed.
    pub completes: bool,
}

impl PromptEntry {
    /// What its arguments would have as a schema: texts, some of them required.
    pub(crate) fn schema(&self) -> Box<RawValue> {
        let properties: BTreeMap<&str, Value> = self
            .arguments
            .iter()
            .map(|argument| {
                (&*argument.name, json!({ "type": "string", "description": argument.description }))
            })
            .collect();
        let required: Vec<&str> = self
            .arguments
            .iter()
            .filter(|argument| argument.required)
            .map(|argument| &*argument.name)
            .collect();
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        to_raw_value(&schema).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }
}

/// An argument of a prompt in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentEntry {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What it is.
    pub description: Cow<'static, str>,
    /// Whether it must be given.
    pub required: bool,
}

impl From<PromptAbout> for PromptEntry {
    fn from(about: PromptAbout) -> PromptEntry {
        let PromptAbout { name, title, description, arguments, completes } = about;
        PromptEntry {
            name: name.into(),
            title: title.into(),
            description: description.into(),
            arguments: arguments.iter().copied().map(ArgumentEntry::from).collect(),
            completes,
        }
    }
}

impl From<PromptArgument> for ArgumentEntry {
    fn from(argument: PromptArgument) -> ArgumentEntry {
        let PromptArgument { name, description, required } = argument;
        ArgumentEntry { name: name.into(), description: description.into(), required }
    }
}
