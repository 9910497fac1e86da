//! What a client says it can do, reduced to what matters to a server.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::json::ObjectWriter;

/// The client capabilities that matter to a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // independent flags of the wire, not a state machine
#[doc(alias = "ClientCapabilities")]
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
    /// The client is a relay: it keeps tasks itself, and must know whose log message is whose.
    pub(crate) relay: bool,
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
    #[serde(default, rename = "relay")]
    relay: Option<IgnoredAny>,
}

impl Caps {
    /// The same, and it can show forms.
    #[must_use]
    pub const fn with_form(self) -> Caps {
        Caps { form: true, ..self }
    }

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
            relay: wire.extensions.as_ref().is_some_and(|all| all.relay.is_some()),
        }
    }

    /// The `ClientCapabilities` of a relay whose client has these. Tasks stay with the relay.
    pub(crate) fn write_relayed(self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::open(out);
        if self.form || self.url {
            let mut inner = ObjectWriter::open(object.member("elicitation"));
            for (name, _) in [("form", self.form), ("url", self.url)].into_iter().filter(|(_, has)| *has) {
                inner.raw(name, b"{}");
            }
            inner.close();
        }
        for (name, _) in
            [("sampling", self.sampling), ("roots", self.roots)].into_iter().filter(|(_, has)| *has)
        {
            object.raw(name, b"{}");
        }
        let mut extensions = ObjectWriter::open(object.member("extensions"));
        extensions.raw("relay", b"{}");
        if self.ui {
            extensions.raw("io.modelcontextprotocol/ui", b"{}");
        }
        extensions.close();
        object.close();
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
    fn a_relay_says_what_its_client_can_do() {
        let all = Caps { form: true, url: true, sampling: true, roots: true, ui: true, ..Caps::default() };
        for caps in [all, Caps { url: true, ..Caps::default() }, Caps::default()] {
            let mut text = Vec::new();
            caps.write_relayed(&mut text);
            let said = read(&String::from_utf8(text).expect("text"));
            assert_eq!(said, Caps { relay: true, ..caps });
        }
    }

    #[test]
    fn extensions_and_odd_shapes() {
        let tasks = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"x":1}"#;
        assert_eq!(read(tasks), Caps { tasks: true, ..Caps::default() });
        assert_eq!(read(r#"{"elicitation":5}"#), Caps::default());
    }
}
