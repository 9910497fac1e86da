//! Who looks at a picture: a provider of models, or nobody but this machine. The one list of both, for arguments, settings and
//! schemas.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::provider::{Provider, UnknownProvider};

/// Who looks at a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// A model of this provider.
    Model(Provider),
    /// No model: text, size and colours are read on this machine.
    Local,
}

impl Choice {
    const LOCAL: &'static str = "local";

    /// Every name there is.
    pub fn ids() -> Vec<&'static str> {
        Provider::ALL.iter().map(|provider| provider.id()).chain([Choice::LOCAL]).collect()
    }

    /// The name in arguments and settings.
    pub const fn id(self) -> &'static str {
        match self {
            Choice::Model(provider) => provider.id(),
            Choice::Local => Choice::LOCAL,
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Choice {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Choice, UnknownProvider> {
        match text.trim() {
            Choice::LOCAL => Ok(Choice::Local),
            name => name.parse().map(Choice::Model),
        }
    }
}

impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Choice, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let known = || Choice::ids().join(", ");
        name.parse()
            .map_err(|_| de::Error::custom(format!("unknown provider `{name}`, expected one of {}", known())))
    }
}

impl JsonSchema for Choice {
    fn schema_name() -> Cow<'static, str> {
        "Provider".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Choice::ids() })
    }
}

#[cfg(test)]
mod tests {
    use super::Choice;
    use crate::provider::Provider;

    #[test]
    fn every_name_is_read_back() {
        for id in Choice::ids() {
            let choice: Choice = serde_json::from_value(id.into()).expect(id);
            assert_eq!((choice.id(), serde_json::to_value(choice).expect("JSON")), (id, id.into()));
        }
        assert_eq!("anthropic".parse(), Ok(Choice::Model(Provider::Claude)));
        let refused = serde_json::from_str::<Choice>("\"gpt\"").expect_err("nobody").to_string();
        assert!(
            refused.contains("`gpt`") && refused.contains("claude") && refused.contains("local"),
            "{refused}"
        );
    }
}
