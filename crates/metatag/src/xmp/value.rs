//! The value of a property, in whichever of RDF's spellings.

use super::XmpError;
use super::markup::{Attribute, Namespaces};
use super::property::RDF;

/// One text of a property, with its language if it names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// `xml:lang`.
    pub language: Option<String>,
    /// The text.
    pub text: String,
}

impl Item {
    /// A text of no language.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { language: None, text: text.into() }
    }

    /// The text for readers without a preference.
    pub fn default_language(text: impl Into<String>) -> Self {
        Self { language: Some("x-default".to_owned()), text: text.into() }
    }
}

/// A text that is being read.
struct Draft {
    item: Item,
    /// `rdf:value`, which is the text when there are qualifiers beside it.
    value: Option<String>,
    in_value: Option<usize>,
}

impl Draft {
    fn new(attributes: &[Attribute], namespaces: &Namespaces) -> Result<Self, XmpError> {
        let mut draft = Self { item: Item::plain(""), value: None, in_value: None };
        for attribute in attributes {
            let (namespace, local) = namespaces.attribute(attribute.name);
            if attribute.name == "xml:lang" {
                draft.item.language = Some(attribute.value()?);
            } else if namespace == RDF && matches!(local, "resource" | "value") {
                draft.value = Some(attribute.value()?);
            }
        }
        Ok(draft)
    }

    fn text(&mut self, text: &str) {
        match &mut self.value {
            Some(value) if self.in_value.is_some() => value.push_str(text),
            Some(_) => {}
            None => self.item.text.push_str(text),
        }
    }

    fn finish(self) -> Item {
        Item { language: self.item.language, text: self.value.unwrap_or(self.item.text) }
    }
}

/// Collects the texts inside a property. Levels count from the property, whose children are at level 1.
pub(super) struct Collector {
    whole: Draft,
    listed: Vec<Item>,
    is_list: bool,
    current: Option<Draft>,
}

impl Collector {
    pub(super) fn new(attributes: &[Attribute], namespaces: &Namespaces) -> Result<Self, XmpError> {
        let whole = Draft::new(attributes, namespaces)?;
        Ok(Self { whole, listed: Vec::new(), is_list: false, current: None })
    }

    pub(super) fn start(
        &mut self,
        level: usize,
        (namespace, local): (&str, &str),
        attributes: &[Attribute],
        namespaces: &Namespaces,
    ) -> Result<(), XmpError> {
        if namespace != RDF {
            return Ok(());
        }
        let numbered = local.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok());
        match local {
            "Bag" | "Seq" | "Alt" if level == 1 => self.is_list = true,
            "value" => {
                let draft = self.current.as_mut().unwrap_or(&mut self.whole);
                draft.value = Some(String::new());
                draft.in_value = Some(level);
            }
            _ if level == 2 && self.is_list && (local == "li" || numbered) => {
                self.current = Some(Draft::new(attributes, namespaces)?);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn end(&mut self, level: usize) {
        let draft = self.current.as_mut().unwrap_or(&mut self.whole);
        if draft.in_value == Some(level) {
            draft.in_value = None;
        }
        if level == 2
            && let Some(draft) = self.current.take()
        {
            self.listed.push(draft.finish());
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.current.as_mut().unwrap_or(&mut self.whole).text(text);
    }

    pub(super) fn finish(self) -> Vec<Item> {
        let whole = self.whole.finish();
        if self.is_list || whole.text.trim_ascii().is_empty() { self.listed } else { vec![whole] }
    }
}
