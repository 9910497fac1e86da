//! `acdsee:categories`: an XML document inside a text, with an element for each keyword.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::markup::{attributes, escape, unescape};

/// The names of the assigned categories; nothing if the text is not such a document.
pub(crate) fn names(document: &str) -> Option<Vec<String>> {
    let mut reader = Reader::from_str(document);
    let mut names: Vec<String> = Vec::new();
    // For each open element, which of the names its text belongs to.
    let mut open: Vec<Option<usize>> = Vec::new();
    loop {
        let start = usize::try_from(reader.buffer_position()).ok()?;
        let event = reader.read_event().ok()?;
        let raw = document.get(start..usize::try_from(reader.buffer_position()).ok()?)?;
        match event {
            Event::Start(_) => {
                let assigned = attributes(raw, 0).ok()?.iter().any(|a| a.name == "Assigned" && a.raw == "1");
                open.push(assigned.then(|| {
                    names.push(String::new());
                    names.len() - 1
                }));
            }
            Event::End(_) => {
                open.pop()?;
            }
            Event::Text(_) | Event::GeneralRef(_) => {
                if let Some(name) = open.last().copied().flatten().and_then(|index| names.get_mut(index)) {
                    name.push_str(&unescape(raw).ok()?);
                }
            }
            Event::Eof => break,
            Event::Empty(_)
            | Event::CData(_)
            | Event::PI(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::DocType(_) => {}
        }
    }
    let names = names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    (open.is_empty() && document.contains(END)).then(|| names.collect())
}

const END: &str = "</Categories>";

/// A document with these keywords and no more.
pub(crate) fn document(keywords: &[String]) -> String {
    format!("<Categories>{}{END}", categories(keywords.iter()))
}

/// The same document with more keywords at its end.
pub(crate) fn extend<'k>(document: &str, more: impl Iterator<Item = &'k String>) -> String {
    let (before, after) = document.rsplit_once(END).unwrap_or((document, ""));
    format!("{before}{}{END}{after}", categories(more))
}

fn categories<'k>(keywords: impl Iterator<Item = &'k String>) -> String {
    let category = |keyword: &String| format!("<Category Assigned=\"1\">{}</Category>", escape(keyword));
    keywords.map(category).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_assigned_categories_are_keywords() {
        let text = "<Categories><Category Assigned=\"0\">Places<Category Assigned=\"1\">Paris &amp; more</Category>\
                    </Category></Categories>";
        assert_eq!(names(text).unwrap(), ["Paris & more"]);
        let longer = extend(text, [&"家".to_owned()].into_iter());
        assert_eq!(names(&longer).unwrap(), ["Paris & more", "家"]);
        assert_eq!(names(&document(&["a<".to_owned()])).unwrap(), ["a<"]);
        for bad in ["", "text", "<Categories>", "<Categories><a></Categories>"] {
            assert_eq!(names(bad), None, "{bad}");
        }
    }
}
