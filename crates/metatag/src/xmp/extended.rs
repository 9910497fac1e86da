//! Extended XMP: a second packet for what has no room in the one segment of a JPEG that every reader looks into.
//!
//! The main packet names the second by its MD5, so that readers join only what belongs together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use md5::{Digest, Md5};

use super::edit::{Changes, Edit, edit, perform, with_space_before};
use super::markup::{attributes, escape};
use super::property::{Property, RDF};
use super::scan::{Foreign, Listing, Rdf, Scan, list, scan};
use super::value::Item;
use super::{XmpError, encoding};

/// What the reference to the second packet takes in the main one, generously.
const REFERENCE: usize = 512;
/// What the element around moved properties and its declarations take away again from what moving them saves.
const WORTHWHILE: usize = 64;

/// Namespaces that programs look for in the main packet and nowhere else: motion photos, depth and gain maps.
const IN_MAIN: [&str; 3] =
    ["http://ns.google.com/photos/", "http://ns.adobe.com/hdr-gain-map/", "http://ns.adobe.com/xmp/note/"];

/// The two packets of a JPEG whose metadata does not fit into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spilled {
    pub(crate) main: Vec<u8>,
    pub(crate) extended: Vec<u8>,
}

/// The name of a second packet, by which the main one refers to it.
pub(crate) fn name(extended: &[u8]) -> String {
    let digest: [u8; 16] = Md5::digest(extended).into();
    digest.iter().fold(String::with_capacity(32), |mut name, byte| {
        let _ = write!(name, "{byte:02X}");
        name
    })
}

/// Whether a packet has any property left.
pub(crate) fn says_anything(packet: &[u8]) -> bool {
    encoding::decode(packet).is_ok_and(|text| scan(&text).map_or(true, |scan| !scan.nodes.is_empty()))
}

/// Moves the largest properties of others to the second packet, until the main one has at most `most` bytes. Nothing
/// where there are not enough of them.
pub(crate) fn spill(main: &[u8], extended: Option<&[u8]>, most: usize) -> Result<Option<Spilled>, XmpError> {
    let text = encoding::decode(main)?;
    let scan = list(&text, Listing::All)?;
    let Some(rdf) = &scan.rdf else { return Ok(None) };
    let Some(chosen) = choose(&text, &scan, most) else { return Ok(None) };
    let mut nodes = String::new();
    for number in chosen.iter().map(|property| property.node).collect::<BTreeSet<_>>() {
        match moved_node(&text, &scan, rdf, number, &chosen)? {
            Some(node) => nodes.push_str(&node),
            None => return Ok(None),
        }
    }
    let Some(extended) = with_nodes(extended, &nodes)? else { return Ok(None) };
    let rest = perform(&text, removals(&text, &scan, &chosen));
    let reference = Changes::from([(Property::HasExtendedXmp, vec![Item::plain(name(&extended))])]);
    let main = edit(Some(rest.as_bytes()), &reference, most)?;
    Ok((main.len() <= most).then_some(Spilled { main, extended }))
}

/// The fewest properties without which the packet is short enough.
fn choose<'s>(text: &str, scan: &'s Scan, most: usize) -> Option<Vec<&'s Foreign>> {
    let is_movable =
        |foreign: &&Foreign| IN_MAIN.iter().all(|namespace| !foreign.namespace.starts_with(namespace));
    let mut largest: Vec<&Foreign> = scan.foreign.iter().filter(is_movable).collect();
    largest.sort_by_key(|foreign| std::cmp::Reverse(foreign.span.len()));
    let mut over = (text.len() + REFERENCE).saturating_sub(most);
    let mut chosen = Vec::new();
    for foreign in largest {
        if over == 0 || foreign.span.len() < WORTHWHILE {
            break;
        }
        over = over.saturating_sub(foreign.span.len());
        chosen.push(foreign);
    }
    chosen.sort_by_key(|foreign| foreign.span.start);
    (over == 0).then_some(chosen)
}

/// The places of what moves, and of nodes that are empty without it.
fn removals(text: &str, scan: &Scan, chosen: &[&Foreign]) -> Vec<Edit> {
    let gone = chosen.iter().map(|property| (with_space_before(text, &property.span), String::new()));
    let mut edits: Vec<Edit> = gone.collect();
    for (number, node) in scan.nodes.iter().enumerate() {
        let moved = chosen.iter().filter(|property| property.node == number).count();
        if moved > 0 && moved == node.properties && !node.needed {
            edits.push((with_space_before(text, &node.span), String::new()));
        }
    }
    edits
}

/// A node with the moved properties of an old one, and with every prefix that they may use. Nothing where the usual
/// prefix of RDF means something else.
fn moved_node(
    text: &str,
    scan: &Scan,
    rdf: &Rdf,
    number: usize,
    chosen: &[&Foreign],
) -> Result<Option<String>, XmpError> {
    let Some(node) = scan.nodes.get(number) else { return Ok(None) };
    let mut prefixes: BTreeMap<String, String> = rdf.prefixes.iter().cloned().collect();
    let tag = text.get(node.tag.clone()).unwrap_or_default();
    for attribute in attributes(tag, node.tag.start)? {
        if let Some(prefix) = attribute.name.strip_prefix("xmlns") {
            prefixes.insert(prefix.trim_start_matches(':').to_owned(), attribute.value()?);
        }
    }
    if prefixes.entry("rdf".to_owned()).or_insert_with(|| RDF.to_owned()) != RDF {
        return Ok(None);
    }
    let about = node.about.as_deref().unwrap_or_default();
    let quote = if about.contains('"') { '\'' } else { '"' };
    let mut moved = format!("\n  <rdf:Description rdf:about={quote}{about}{quote}");
    for (prefix, namespace) in prefixes {
        let colon = if prefix.is_empty() { "" } else { ":" };
        let _ = write!(moved, "\n    xmlns{colon}{prefix}=\"{}\"", escape(&namespace).replace('"', "&quot;"));
    }
    moved.push('>');
    for property in chosen.iter().filter(|property| property.node == number) {
        let _ = write!(moved, "\n   {}", text.get(property.span.clone()).unwrap_or_default());
    }
    Ok(Some(moved + "\n  </rdf:Description>"))
}

/// The second packet with more nodes at its end; nothing where it has no place for them.
fn with_nodes(extended: Option<&[u8]>, nodes: &str) -> Result<Option<Vec<u8>>, XmpError> {
    let Some(extended) = extended else {
        let whole = format!(
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n <rdf:RDF xmlns:rdf=\"{RDF}\">{nodes}\n </rdf:RDF>\n</x:xmpmeta>"
        );
        return Ok(Some(whole.into_bytes()));
    };
    let text = encoding::decode(extended)?;
    let Some(rdf) = scan(&text)?.rdf else { return Ok(None) };
    let edit = if rdf.empty {
        (rdf.end.clone(), format!(">{nodes}\n </{}>", rdf.name))
    } else {
        let at = text.get(..rdf.end.start).unwrap_or_default().trim_ascii_end().len();
        (at..at, nodes.to_owned())
    };
    Ok(Some(perform(&text, vec![edit]).into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::Properties;
    use super::*;

    fn packet(properties: &str) -> String {
        format!(
            "<x:xmpmeta xmlns:x='adobe:ns:meta/' xmlns:o='urn:outer'><rdf:RDF xmlns:rdf='{RDF}'>\
             <rdf:Description rdf:about='uuid:1' xmlns:f='urn:f' xmlns:g='http://ns.google.com/photos/1.0/camera/' \
             f:attribute='a'>{properties}</rdf:Description></rdf:RDF></x:xmpmeta>"
        )
    }

    #[track_caller]
    fn spilled(main: &str, extended: Option<&str>, most: usize) -> Option<(String, String)> {
        let spilled = spill(main.as_bytes(), extended.map(str::as_bytes), most).unwrap()?;
        assert!(spilled.main.len() <= most);
        let read = Properties::read(&spilled.main).unwrap();
        assert_eq!(read.text(Property::HasExtendedXmp), Some(name(&spilled.extended).as_str()));
        Properties::read(&spilled.extended).unwrap();
        Some((String::from_utf8(spilled.main).unwrap(), String::from_utf8(spilled.extended).unwrap()))
    }

    #[test]
    fn the_largest_properties_of_others_move_with_their_prefixes() {
        let large = format!("<f:large><o:in>{}</o:in></f:large>", "x".repeat(3000));
        let google = format!("<g:stays>{}</g:stays>", "y".repeat(4000));
        let small = "<f:small>s</f:small>";
        let (main, extended) = spilled(&packet(&format!("{large}{google}{small}")), None, 6000).unwrap();
        assert!(main.contains(&google) && main.contains(small) && !main.contains("x".repeat(3000).as_str()));
        assert!(extended.contains(&large) && extended.contains("xmlns:o=\"urn:outer\""));
        assert!(extended.contains("rdf:about=\"uuid:1\"") && extended.contains("xmlns:f=\"urn:f\""));
        let more = format!("<f:more>{}</f:more>", "z".repeat(3000));
        let (_, again) = spilled(&packet(&format!("{google}{more}")), Some(&extended), 6000).unwrap();
        assert!(again.contains(&large) && again.contains(&more));
    }

    #[test]
    fn what_cannot_move_stays() {
        let google = format!("<g:stays>{}</g:stays>", "y".repeat(4000));
        assert_eq!(spilled(&packet(&google), None, 3000), None);
        let large = format!("<f:large>{}</f:large>", "x".repeat(3000));
        let odd = packet(&large).replace("rdf:", "r:").replace("xmlns:rdf", "xmlns:r");
        assert!(spilled(&odd, None, 2000).is_some());
        let taken = odd.replace("xmlns:o=", "xmlns:rdf=");
        assert_eq!(spilled(&taken, None, 2000), None);
    }
}
