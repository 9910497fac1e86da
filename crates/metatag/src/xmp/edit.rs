//! Changes properties in a packet and leaves every other byte of it alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::markup::escape;
use super::property::{Property, RDF, Shape};
use super::scan::{Rdf, Scan, scan};
use super::value::Item;
use super::{XmpError, encoding, padding};

/// The new values of the properties that change; an empty list removes a property.
pub(crate) type Changes = BTreeMap<Property, Vec<Item>>;

/// Changes a packet, or makes one. `most` is how long it may become by padding.
pub(crate) fn edit(packet: Option<&[u8]>, changes: &Changes, most: usize) -> Result<Vec<u8>, XmpError> {
    let Some(packet) = packet else { return Ok(create(changes, most)) };
    let text = encoding::decode(packet)?;
    let scan = scan(&text)?;
    let insertion = match (&scan.rdf, &scan.hollow) {
        (Some(rdf), _) => insertion(&text, &scan, rdf, changes),
        (None, Some(wrapper)) => filling(&text, wrapper, changes),
        (None, None) => return Ok(create(changes, most)),
    };
    let mut edits = deletions(&text, &scan, changes);
    edits.push(insertion);
    let last = edits.iter().map(|(span, _)| span.end).max().unwrap_or_default();
    let edited = perform(&text, edits);
    // A trailer before the changes is none.
    let trailer =
        scan.trailer.filter(|start| *start >= last).map(|start| edited.len() - (text.len() - start));
    Ok(padding::fit(edited, trailer, packet.len(), most).into_bytes())
}

/// The text after all edits. Nothing behind the last edit changes its distance from the end.
pub(super) fn perform(text: &str, edits: Vec<Edit>) -> String {
    let mut edited = String::with_capacity(text.len() + 4096);
    let mut at = 0;
    for (span, replacement) in merge(edits) {
        edited.push_str(text.get(at..span.start).unwrap_or_default());
        edited.push_str(&replacement);
        at = span.end;
    }
    edited.push_str(text.get(at..).unwrap_or_default());
    edited
}

pub(super) type Edit = (Range<usize>, String);

/// The places of everything that goes: properties, and descriptions that hold nothing else.
fn deletions(text: &str, scan: &Scan, changes: &Changes) -> Vec<Edit> {
    let mut left: Vec<usize> = scan.nodes.iter().map(|node| node.properties).collect();
    let mut edits = Vec::new();
    for found in scan.found.iter().filter(|found| changes.contains_key(&found.property)) {
        if let Some(count) = left.get_mut(found.node) {
            *count -= 1;
        }
        edits.push((with_space_before(text, &found.span), String::new()));
    }
    for (node, left) in scan.nodes.iter().zip(left) {
        if left == 0 && !node.needed {
            edits.push((with_space_before(text, &node.span), String::new()));
        }
    }
    edits
}

/// The span, and the line end and indentation before it.
pub(super) fn with_space_before(text: &str, span: &Range<usize>) -> Range<usize> {
    let before = text.get(..span.start).unwrap_or_default();
    before.trim_ascii_end().len()..span.end
}

/// The fresh description, right behind the last node.
fn insertion(text: &str, scan: &Scan, rdf: &Rdf, changes: &Changes) -> Edit {
    // They should all have the same; where they have not, readers show the last.
    let about = scan.nodes.iter().rev().find_map(|node| node.about.as_deref()).unwrap_or_default();
    let mut names = Names { prefixes: Some(&scan.prefixes), ..Names::default() };
    for found in &scan.found {
        names.namespaces.insert(found.property, found.namespace.as_str());
    }
    let fresh = description(about, names, changes);
    if rdf.empty {
        let replacement =
            if fresh.is_empty() { "/>".to_owned() } else { format!(">{fresh}\n </{}>", rdf.name) };
        return (rdf.end.clone(), replacement);
    }
    let at = text.get(..rdf.end.start).unwrap_or_default().trim_ascii_end().len();
    (at..at, fresh)
}

/// An element for the fresh description, inside a wrapper that has nothing in it.
fn filling(text: &str, wrapper: &Rdf, changes: &Changes) -> Edit {
    let fresh = description("", Names::default(), changes);
    let whole = format!("\n <rdf:RDF xmlns:rdf=\"{RDF}\">{fresh}\n </rdf:RDF>\n");
    if wrapper.empty {
        return (wrapper.end.clone(), format!(">{whole}</{}>", wrapper.name));
    }
    let at = text.get(..wrapper.end.start).unwrap_or_default().trim_ascii_end().len();
    (at..wrapper.end.start, whole)
}

/// Puts edits in order; what lies inside another goes with it.
fn merge(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Edit> = Vec::with_capacity(edits.len());
    for (span, replacement) in edits {
        match merged.last_mut() {
            Some((last, text)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                text.push_str(&replacement);
            }
            _ => merged.push((span, replacement)),
        }
    }
    merged
}

/// How the fresh description spells names.
#[derive(Default)]
struct Names<'a> {
    /// How the packet spells the namespaces of properties it has.
    namespaces: BTreeMap<Property, &'a str>,
    /// The prefix the packet has for a namespace.
    prefixes: Option<&'a BTreeMap<String, String>>,
    /// What the description declares.
    declared: BTreeMap<String, String>,
}

impl Names<'_> {
    /// The prefix for a property. It is the packet's own where there is one: exiv2 gives a packet up in which a namespace
    /// has two.
    fn prefix(&mut self, property: Property) -> String {
        let name = property.name();
        let namespace = self.namespaces.get(&property).copied().unwrap_or(name.namespace);
        let own = self.prefixes.and_then(|prefixes| prefixes.get(namespace)).map(String::as_str);
        let numbered = (1..).map(|number| format!("{}{number}", name.prefix));
        let mut candidates = own.into_iter().chain([name.prefix]).map(str::to_owned).chain(numbered);
        // The packet may give one prefix to several namespaces, each in its own place.
        let free = |prefix: &String| self.declared.get(prefix).is_none_or(|taken| taken == namespace);
        let prefix = candidates.find(free).unwrap_or_default();
        self.declared.insert(prefix.clone(), namespace.to_owned());
        prefix
    }
}

/// One `rdf:Description` with all that is new, which declares the prefixes it uses. Nothing if there is nothing new.
fn description(about: &str, mut names: Names, changes: &Changes) -> String {
    names.declared.insert("rdf".to_owned(), RDF.to_owned());
    let mut body = String::new();
    for property in Property::ALL {
        let Some(items) = changes.get(&property).filter(|items| !items.is_empty()) else { continue };
        let (prefix, local) = (names.prefix(property), property.name().local);
        let content = match property.shape() {
            Shape::Text => items.first().map(|item| escape(&item.text)).unwrap_or_default(),
            Shape::List(container) => list(container, items),
            Shape::Alternatives => list("Alt", items),
        };
        let _ = write!(body, "\n   <{prefix}:{local}>{content}</{prefix}:{local}>");
    }
    if body.is_empty() {
        return body;
    }
    let quote = if about.contains('"') { '\'' } else { '"' };
    let mut whole = format!("\n  <rdf:Description rdf:about={quote}{about}{quote}");
    for (prefix, namespace) in &names.declared {
        let _ = write!(whole, "\n    xmlns:{prefix}=\"{}\"", escape(namespace));
    }
    whole + ">" + &body + "\n  </rdf:Description>"
}

fn list(container: &str, items: &[Item]) -> String {
    let mut list = format!("\n    <rdf:{container}>");
    for item in items {
        let language = item
            .language
            .as_ref()
            .map(|language| format!(" xml:lang=\"{}\"", escape(language).replace('"', "&quot;")));
        let _ =
            write!(list, "\n     <rdf:li{}>{}</rdf:li>", language.unwrap_or_default(), escape(&item.text));
    }
    list + &format!("\n    </rdf:{container}>\n   ")
}

fn create(changes: &Changes, most: usize) -> Vec<u8> {
    let head = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n \
                <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">";
    let fresh = description("", Names::default(), changes);
    let mut packet = format!("{head}{fresh}\n </rdf:RDF>\n</x:xmpmeta>\n");
    let trailer = packet.len();
    packet.push_str("<?xpacket end=\"w\"?>");
    padding::fit(packet, Some(trailer), 0, most).into_bytes()
}
