//! What a client says it can do, reduced to the questions a server may ask.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The client capabilities that matter to a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent flags of the wire, not a state machine
pub struct Caps {
    /// The client can show the person a form.
    pub form: bool,
    /// The client can send the person to a URL.
    pub url: bool,
    /// The client can have its model complete a message.
    pub sampling: bool,
    /// The client can name the folders it works in.
    pub roots: bool,
    /// The client takes a task handle instead of an answer.
    pub tasks: bool,
    /// The client can show MCP Apps.
    pub ui: bool,
}

#[derive(Deserialize, Default)]
struct Wire {
    #[serde(default)]
    elicitation: Option<Elicitation>,
    #[serde(default)]
    sampling: Option<IgnoredAny>,
    #[serde(default)]
    roots: Option<IgnoredAny>,
    #[serde(default)]
    extensions: Option<Extensions>,
}

#[derive(Deserialize)]
struct Elicitation {
    #[serde(default)]
    form: Option<IgnoredAny>,
    #[serde(default)]
    url: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Extensions {
    #[serde(default, rename = "io.modelcontextprotocol/tasks")]
    tasks: Option<IgnoredAny>,
    #[serde(default, rename = "io.modelcontextprotocol/ui")]
    ui: Option<IgnoredAny>,
}

impl Caps {
    /// Reads a `ClientCapabilities` object. A capability of the wrong shape counts as not declared:
    /// refusing the whole request over it would help nobody.
    pub(crate) fn read(raw: &RawValue) -> Caps {
        if raw.get() == "{}" {
            return Caps::default();
        }
        let wire: Wire = serde_json::from_str(raw.get()).unwrap_or_default();
        let (form, url) = match wire.elicitation {
            None => (false, false),
            // An empty object means forms: that is all there was before URL mode.
            Some(Elicitation { form, url }) => (form.is_some() || url.is_none(), url.is_some()),
        };
        Caps {
            form,
            url,
            sampling: wire.sampling.is_some(),
            roots: wire.roots.is_some(),
            tasks: wire.extensions.as_ref().is_some_and(|all| all.tasks.is_some()),
            ui: wire.extensions.as_ref().is_some_and(|all| all.ui.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Caps;

    fn read(text: &str) -> Caps {
        Caps::read(&RawValue::from_string(text.to_owned()).expect("JSON"))
    }

    #[test]
    fn an_empty_elicitation_object_means_forms() {
        assert_eq!(read(r#"{"elicitation":{}}"#), Caps { form: true, ..Caps::default() });
        assert_eq!(read(r#"{"elicitation":{"url":{}}}"#), Caps { url: true, ..Caps::default() });
    }

    #[test]
    fn extensions_and_odd_shapes() {
        let tasks = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"x":1}"#;
        assert_eq!(read(tasks), Caps { tasks: true, ..Caps::default() });
        assert_eq!(read(r#"{"elicitation":5}"#), Caps::default());
    }
}
