//! Finds our properties in a packet, and where each of them is.
//!
//! The tokenizer expands nothing, and we keep no tree: memory and time are linear in the packet.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::markup::{Attribute, Namespaces, attributes, malformed, tag_name};
use super::property::{Property, RDF};
use super::value::{Collector, Item};
use super::{MOST_BYTES, XmpError, markup};

const MOST_DEPTH: usize = 256;
/// Of elements and attributes, without what is in properties of others. Each is held several times while a packet is
/// changed.
const MOST_VALUES: usize = 1 << 17;

/// Of all texts of ours together, in bytes: each is held several times while a picture is read or changed, and a list of
/// keywords may stand in one text.
const MOST_TEXT: usize = 4 << 20;
/// Of `acdsee:categories`, in bytes: an element of that document takes much more memory than its bytes.
const MOST_CATEGORIES: usize = 1 << 20;

/// The namespace and the names, old and new, of the element around packets.
const WRAPPER: &str = "adobe:ns:meta/";
const WRAPPERS: [&str; 2] = ["xmpmeta", "xapmeta"];

/// A property of ours in the packet.
pub(super) struct Found {
    pub(super) property: Property,
    /// How this packet spells the namespace.
    pub(super) namespace: String,
    pub(super) items: Vec<Item>,
    pub(super) span: Range<usize>,
    /// Which of [`Scan::nodes`] it is in.
    pub(super) node: usize,
}

/// An `rdf:Description`, or what stands in its place.
#[derive(Default)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    /// Its start tag.
    pub(super) tag: Range<usize>,
    /// `rdf:about` as it is written, without quotes.
    pub(super) about: Option<String>,
    /// How many properties it has, ours and others.
    pub(super) properties: usize,
    /// Whether it must stay even without properties.
    pub(super) needed: bool,
}

/// The element that holds the nodes.
pub(super) struct Rdf {
    /// Its name as the packet spells it.
    pub(super) name: String,
    /// The end tag, or the two bytes that make the start tag an empty one.
    pub(super) end: Range<usize>,
    pub(super) empty: bool,
    /// The prefixes that are declared for it and what is in it, with their namespaces.
    pub(super) prefixes: Vec<(String, String)>,
}

/// Whether properties of others are listed too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Listing {
    #[default]
    Ours,
    All,
}

/// A property of others, which can be moved as it is.
pub(super) struct Foreign {
    pub(super) span: Range<usize>,
    pub(super) namespace: String,
    /// Which of [`Scan::nodes`] it is in.
    pub(super) node: usize,
}

/// What is where in a packet.
#[derive(Default)]
pub(super) struct Scan {
    /// Nothing if the packet has no such element.
    pub(super) rdf: Option<Rdf>,
    /// The wrapper of a packet that has nothing in it, not even the element for the nodes.
    pub(super) hollow: Option<Rdf>,
    pub(super) nodes: Vec<Node>,
    pub(super) found: Vec<Found>,
    /// Properties of others that are elements, if somebody asked for them.
    pub(super) foreign: Vec<Foreign>,
    /// The prefix the packet has for a namespace.
    pub(super) prefixes: BTreeMap<String, String>,
    /// The start of `<?xpacket end…?>`.
    pub(super) trailer: Option<usize>,
}

pub(super) fn scan(text: &str) -> Result<Scan, XmpError> {
    list(text, Listing::Ours)
}

pub(super) fn list(text: &str, listing: Listing) -> Result<Scan, XmpError> {
    if text.len() > MOST_BYTES {
        return Err(XmpError::TooMuch { limit: "16 MiB" });
    }
    // The tokenizer leaves out one byte order mark without counting it; so it gets none.
    let body = text.trim_start_matches('\u{FEFF}');
    let base = text.len() - body.len();
    let mut reader = Reader::from_str(body);
    let mut scanner = Scanner { text, listing, ..Scanner::default() };
    loop {
        let start = position(&reader, base)?;
        let event = reader.read_event().map_err(|error| malformed(error.to_string()))?;
        let token = Token { span: start..position(&reader, base)?, text };
        match event {
            Event::Start(_) => scanner.start(&token)?,
            Event::Empty(_) => {
                scanner.start(&token)?;
                scanner.end(&token, true)?;
            }
            Event::End(_) => scanner.end(&token, false)?,
            Event::Text(_) => scanner.text(token.raw()?)?,
            Event::GeneralRef(_) => scanner.reference(token.raw()?)?,
            Event::CData(_) => scanner.cdata(token.raw()?),
            Event::PI(_) => scanner.instruction(&token)?,
            Event::Comment(_) => scanner.keep_node(),
            Event::Decl(_) | Event::DocType(_) => {}
            Event::Eof => break,
        }
    }
    scanner.finish()
}

fn position(reader: &Reader<&[u8]>, base: usize) -> Result<usize, XmpError> {
    let at = usize::try_from(reader.buffer_position()).map_err(|_| XmpError::TooMuch { limit: "16 MiB" })?;
    Ok(base + at)
}

/// More elements and attributes.
fn count(values: &mut usize, more: usize) -> Result<(), XmpError> {
    *values += more;
    if *values > MOST_VALUES {
        return Err(XmpError::TooMuch { limit: "131,072 elements and attributes" });
    }
    Ok(())
}

/// Every XML reader takes all line ends for line feeds.
fn line_ends(raw: &str) -> Cow<'_, str> {
    if raw.contains('\r') {
        Cow::Owned(raw.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(raw)
    }
}

/// A piece of markup and where it is.
struct Token<'a> {
    span: Range<usize>,
    text: &'a str,
}

impl<'a> Token<'a> {
    fn raw(&self) -> Result<&'a str, XmpError> {
        self.text.get(self.span.clone()).ok_or_else(|| malformed("a token out of place"))
    }
}

#[derive(Default)]
struct Scanner<'a> {
    text: &'a str,
    listing: Listing,
    scan: Scan,
    namespaces: Namespaces<'a>,
    /// How many elements are open.
    depth: usize,
    elements: usize,
    /// How many elements and attributes were looked at.
    values: usize,
    /// Whether the outermost element is the wrapper of packets and has no text in it.
    is_wrapped: bool,
    /// The depth of the open `rdf:RDF`.
    rdf: Option<usize>,
    prefixes: Vec<(String, String)>,
    node: Option<Node>,
    property: Option<Open>,
    /// A property of others whose end has not come.
    foreign: Option<Foreign>,
}

/// A property of ours whose end has not come.
struct Open {
    property: Property,
    namespace: String,
    start: usize,
    collector: Collector,
}

impl<'a> Scanner<'a> {
    fn start(&mut self, token: &Token<'a>) -> Result<(), XmpError> {
        self.depth += 1;
        self.elements += 1;
        if self.depth > MOST_DEPTH {
            return Err(XmpError::TooMuch { limit: "256 levels of elements" });
        }
        let level = self.rdf.map(|rdf| self.depth - rdf);
        if level.is_some_and(|level| level > 2) && self.property.is_none() {
            return Ok(());
        }
        let tag = token.raw()?;
        let attributes = attributes(tag, token.span.start)?;
        count(&mut self.values, 1 + attributes.len())?;
        self.namespaces.declare(self.depth, &attributes)?;
        let (namespace, local) = self.namespaces.element(tag_name(tag));
        match level {
            None if namespace == RDF && local == "RDF" => {
                if self.scan.rdf.is_some() {
                    return Err(XmpError::NoRdf);
                }
                self.rdf = Some(self.depth);
                self.prefixes = self.namespaces.in_force();
            }
            None => {
                self.is_wrapped = self.depth == 1 && namespace == WRAPPER && WRAPPERS.contains(&local);
            }
            Some(1) => {
                let needed = namespace != RDF || local != "Description";
                self.open_node(token.span.clone(), needed, &attributes)?;
            }
            Some(2) => {
                if let Some(node) = &mut self.node {
                    node.properties += 1;
                }
                let ours = Property::find(namespace, local);
                // What is ours but rarely written may move like what is not.
                let may_move = self.listing == Listing::All && ours.is_none_or(Property::may_move);
                if let Some(property) = ours.filter(|_| !may_move) {
                    let namespace = namespace.to_owned();
                    let collector = Collector::new(&attributes, &self.namespaces)?;
                    self.property = Some(Open { property, namespace, start: token.span.start, collector });
                } else if may_move {
                    let (span, namespace) = (token.span.clone(), namespace.to_owned());
                    self.foreign = Some(Foreign { span, namespace, node: self.scan.nodes.len() });
                }
            }
            Some(level) => {
                if let Some(open) = &mut self.property {
                    open.collector.start(level - 2, (namespace, local), &attributes, &self.namespaces)?;
                }
            }
        }
        Ok(())
    }

    fn open_node(
        &mut self,
        tag: Range<usize>,
        needed: bool,
        attributes: &[Attribute],
    ) -> Result<(), XmpError> {
        let mut node = Node { span: tag.clone(), tag, needed, ..Node::default() };
        for attribute in attributes {
            if attribute.name.starts_with("xmlns") {
                continue;
            }
            let (namespace, local) = self.namespaces.attribute(attribute.name);
            if local == "about" && (namespace == RDF || namespace.is_empty()) {
                node.about = Some(attribute.raw.to_owned());
                continue;
            }
            node.properties += 1;
            if let Some(property) = Property::find(namespace, local) {
                self.scan.found.push(Found {
                    property,
                    namespace: namespace.to_owned(),
                    items: vec![Item::plain(attribute.value()?)],
                    span: attribute.span.clone(),
                    node: self.scan.nodes.len(),
                });
            }
        }
        self.node = Some(node);
        Ok(())
    }

    fn end(&mut self, token: &Token<'a>, empty: bool) -> Result<(), XmpError> {
        let end = token.span.end;
        match self.rdf.map(|rdf| self.depth - rdf) {
            Some(0) => {
                self.scan.rdf = Some(self.closed(token, empty)?);
                self.rdf = None;
            }
            Some(1) => {
                if let Some(mut node) = self.node.take() {
                    node.span.end = end;
                    self.scan.nodes.push(node);
                }
            }
            Some(2) => {
                if let Some(open) = self.property.take() {
                    self.scan.found.push(Found {
                        property: open.property,
                        namespace: open.namespace,
                        items: open.collector.finish(),
                        span: open.start..end,
                        node: self.scan.nodes.len(),
                    });
                }
                if let Some(mut foreign) = self.foreign.take() {
                    foreign.span.end = end;
                    self.scan.foreign.push(foreign);
                }
            }
            Some(level) => {
                if let Some(open) = &mut self.property {
                    open.collector.end(level - 2);
                }
            }
            None if self.depth == 1 && self.elements == 1 && self.is_wrapped => {
                self.scan.hollow = Some(self.closed(token, empty)?);
            }
            None => {}
        }
        self.namespaces.leave(self.depth);
        self.depth = self.depth.checked_sub(1).ok_or_else(|| malformed("an end tag without a start"))?;
        Ok(())
    }

    /// An element with nodes, at its end.
    fn closed(&mut self, token: &Token<'a>, empty: bool) -> Result<Rdf, XmpError> {
        let end = token.span.end;
        let start = if empty { end - "/>".len() } else { token.span.start };
        let prefixes = std::mem::take(&mut self.prefixes);
        Ok(Rdf { name: tag_name(token.raw()?).to_owned(), end: start..end, empty, prefixes })
    }

    fn text(&mut self, raw: &str) -> Result<(), XmpError> {
        if let Some(open) = &mut self.property {
            open.collector.text(&markup::unescape(&line_ends(raw))?);
        } else if !raw.trim_ascii().is_empty() {
            self.is_wrapped = false;
            self.keep_node();
        }
        Ok(())
    }

    /// A packet may have millions of them, so that none may cost memory.
    fn reference(&mut self, raw: &str) -> Result<(), XmpError> {
        if let Some(open) = &mut self.property {
            open.collector.text(markup::reference(raw)?.encode_utf8(&mut [0; 4]));
        } else {
            self.is_wrapped = false;
            self.keep_node();
        }
        Ok(())
    }

    fn cdata(&mut self, raw: &str) {
        if let Some(open) = &mut self.property {
            let inner = raw.strip_prefix("<![CDATA[").and_then(|rest| rest.strip_suffix("]]>"));
            open.collector.text(&line_ends(inner.unwrap_or_default()));
        } else {
            self.is_wrapped = false;
            self.keep_node();
        }
    }

    fn instruction(&mut self, token: &Token<'a>) -> Result<(), XmpError> {
        if self.depth == 0 && token.raw()?.starts_with("<?xpacket end") {
            self.scan.trailer = Some(token.span.start);
        }
        self.keep_node();
        Ok(())
    }

    /// There is something in the node that is not a property.
    fn keep_node(&mut self) {
        if let Some(node) = &mut self.node {
            node.needed = true;
        }
    }

    fn finish(self) -> Result<Scan, XmpError> {
        if self.depth > 0 {
            return Err(malformed(format!("{} elements are not closed", self.depth)));
        }
        if self.elements == 0 && !self.text.bytes().all(|b| b == 0) && self.scan.trailer.is_none() {
            return Err(malformed("there is no element"));
        }
        if self.elements > 0 && self.scan.rdf.is_none() && self.scan.hollow.is_none() {
            return Err(XmpError::NoRdf);
        }
        let length = |found: &Found| found.items.iter().map(|item| item.text.len()).sum::<usize>();
        let categories = self.scan.found.iter().filter(|found| found.property == Property::AcdseeCategories);
        if categories.map(length).sum::<usize>() > MOST_CATEGORIES {
            return Err(XmpError::TooMuch { limit: "1 MiB of ACDSee categories" });
        }
        if self.scan.found.iter().map(length).sum::<usize>() > MOST_TEXT {
            return Err(XmpError::TooMuch { limit: "4 MiB of text in the fields that we write" });
        }
        Ok(Scan { prefixes: self.namespaces.prefixes(), ..self.scan })
    }
}
