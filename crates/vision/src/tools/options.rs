//! What every tool can be told besides its own arguments.

use std::collections::BTreeMap;
use std::fmt;

use mcp::Fail;
use models::Choice;
use picture::Rect;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::look::Call;
use crate::prepare::Wanted;
use crate::task::Task;

/// What every tool can be told besides its own arguments.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Options {
    /// Who looks: a provider of models, or `local` for a reading without a model.
    provider: Option<Choice>,
    /// Another model of that provider than the one that is set.
    #[schemars(length(max = 200))]
    model: Option<String>,
    /// Look only at this part of the picture, in pixels of the original.
    region: Option<Rect>,
    /// Scale the picture down until no edge is longer than this many pixels.
    #[serde(alias = "maxEdge")]
    #[schemars(range(min = 16, max = 32_768))]
    max_edge: Option<u32>,
    /// Which page of a PDF, from 1; the first one if it is left out.
    #[schemars(range(min = 1, max = 100_000))]
    page: Option<u32>,
    /// A JSON Schema: the answer is JSON that fits it, and is in `data` of the structured result. Models only.
    #[serde(alias = "outputSchema")]
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    output_schema: Option<Map<String, Value>>,
    /// Take e-mail addresses, phone numbers, keys and the like out of pictures before a model gets them.
    #[serde(default)]
    redact: bool,
    #[serde(flatten)]
    #[schemars(skip)]
    _others: NoOthers,
}

/// What is left over is an argument that nobody knows. A type with a flattened part cannot deny those itself.
#[derive(Debug, Default)]
struct NoOthers;

impl<'de> Deserialize<'de> for NoOthers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NoOthers, D::Error> {
        struct Rest;

        impl<'de> Visitor<'de> for Rest {
            type Value = NoOthers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("nothing else")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NoOthers, A::Error> {
                match map.next_key::<String>()? {
                    None => Ok(NoOthers),
                    Some(name) => Err(A::Error::custom(format_args!("unknown field `{name}`"))),
                }
            }
        }

        deserializer.deserialize_map(Rest)
    }
}

impl Options {
    /// The call of a tool, once its arguments are known to make sense.
    pub(crate) fn call(
        self,
        task: Task,
        sources: Vec<(&'static str, String)>,
        prompt: String,
    ) -> Result<Call, Fail> {
        if let Some((name, _)) = sources.iter().find(|(_, source)| source.trim().is_empty()) {
            return Err(Error::EmptyArgument(name).into());
        }
        if let Some(edge) = self.max_edge.filter(|edge| !(16..=32_768).contains(edge)) {
            let bounds = "between 16 and 32768 pixels";
            return Err(Error::OutOfBounds { name: "max_edge", value: edge.into(), bounds }.into());
        }
        if let Some(page) = self.page.filter(|page| !(1..=100_000).contains(page)) {
            return Err(
                Error::OutOfBounds { name: "page", value: page.into(), bounds: "from 1 to 100000" }.into()
            );
        }
        Ok(Call {
            task,
            sources: sources.into_iter().map(|(_, source)| source).collect(),
            prompt,
            choice: self.provider,
            model: self.model,
            wanted: Wanted {
                region: self.region,
                max_edge: self.max_edge,
                page: self.page,
                redact: self.redact,
            },
            output_schema: self.output_schema.map(Value::Object),
        })
    }
}
