//! Packets as they are found in the wild, read and changed.

use super::*;

const RDF: &str = "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"";
const DC: &str = "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"";

fn wrap(nodes: &str) -> String {
    format!("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n <rdf:RDF {RDF}>{nodes}\n </rdf:RDF>\n</x:xmpmeta>")
}

#[track_caller]
fn reads(packet: impl AsRef<[u8]>, property: Property, expected: &[&str]) {
    let read = Properties::read(packet.as_ref()).unwrap();
    assert_eq!(read.texts(property), expected, "{}", String::from_utf8_lossy(packet.as_ref()));
}

fn texts(texts: &[&str]) -> Vec<Item> {
    texts.iter().map(|text| Item::plain(*text)).collect()
}

fn change(packet: &str, property: Property, items: Vec<Item>) -> String {
    let changed = edit(Some(packet.as_bytes()), &Changes::from([(property, items)]), usize::MAX).unwrap();
    String::from_utf8(changed).unwrap()
}

#[test]
fn lists_are_read_in_every_spelling() {
    let list = |inside: &str| {
        wrap(&format!("<rdf:Description {DC}><dc:subject>{inside}</dc:subject></rdf:Description>"))
    };
    reads(list("<rdf:Bag><rdf:li>a</rdf:li><rdf:li>b</rdf:li></rdf:Bag>"), Property::Subject, &["a", "b"]);
    reads(list("\n<rdf:Seq>\n<rdf:li>a</rdf:li>\n<rdf:li/></rdf:Seq>"), Property::Subject, &["a", ""]);
    reads(list("<rdf:Bag><rdf:_1>a</rdf:_1><rdf:_2>b</rdf:_2></rdf:Bag>"), Property::Subject, &["a", "b"]);
    reads(
        list("<rdf:Bag><rdf:li>a &amp; &#x5BB6;<![CDATA[<b>]]><!-- c --></rdf:li></rdf:Bag>"),
        Property::Subject,
        &["a & 家<b>"],
    );
    reads(
        list("<rdf:Bag><rdf:li rdf:parseType='Resource'><rdf:value>a</rdf:value><q>x</q></rdf:li></rdf:Bag>"),
        Property::Subject,
        &["a"],
    );
    reads(list("<rdf:Bag/>"), Property::Subject, &[]);
    reads(list("alone"), Property::Subject, &["alone"]);
}

#[test]
fn properties_are_found_as_attributes_and_under_any_prefix() {
    let packet = "<R xmlns=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"/>".replace('R', "RDF");
    reads(packet, Property::Location, &[]);
    let packet = format!(
        "<r:RDF {}><r:Description xmlns:p='http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/' p:Location='a &lt; b'/></r:RDF>",
        RDF.replace("xmlns:rdf", "xmlns:r")
    );
    reads(&packet, Property::Location, &["a < b"]);
    let changed = change(&packet, Property::Location, texts(&["c"]));
    reads(&changed, Property::Location, &["c"]);
    assert!(!changed.contains("a &lt; b"));
    reads(
        wrap(
            "<rdf:Description xmlns:m='http://ns.microsoft.com/photo/1.0'><m:LastKeywordXMP>a</m:LastKeywordXMP></rdf:Description>",
        ),
        Property::LastKeywordXmp,
        &["a"],
    );
}

#[test]
fn a_name_in_another_namespace_or_deeper_is_foreign() {
    let packet = wrap(
        "<rdf:Description xmlns:dc='http://example.org/'><dc:subject>a</dc:subject></rdf:Description>\
         <rdf:Description xmlns:e='e:' xmlns:d='http://purl.org/dc/elements/1.1/'>\
         <e:part rdf:parseType='Resource'><d:subject>b</d:subject></e:part></rdf:Description>",
    );
    assert!(!Properties::read(packet.as_bytes()).unwrap().has(Property::Subject));
}

#[test]
fn every_other_byte_stays() {
    let before = "\n  <rdf:Description rdf:about='uuid:1'\n xmlns:dc = 'http://purl.org/dc/elements/1.1/' dc:format=\"image/jpeg\">\n   \
                  <!-- c --><dc:rights>x &#65;</dc:rights>";
    let after = "\n   <dc:title><![CDATA[t]]></dc:title>\n  </rdf:Description>";
    let ours = "\n   <dc:subject><rdf:Bag><rdf:li>old</rdf:li></rdf:Bag></dc:subject>";
    let changed = change(&wrap(&format!("{before}{ours}{after}")), Property::Subject, texts(&["new", "<&>"]));
    let fresh = format!(
        "\n  <rdf:Description rdf:about=\"uuid:1\"\n    {DC}\n    {RDF}>\n   <dc:subject>\n    <rdf:Bag>\n     \
         <rdf:li>new</rdf:li>\n     <rdf:li>&lt;&amp;&gt;</rdf:li>\n    </rdf:Bag>\n   </dc:subject>\n  </rdf:Description>"
    );
    assert_eq!(changed, wrap(&format!("{before}{after}{fresh}")));
    let removed = change(&changed, Property::Subject, Vec::new());
    assert_eq!(removed, wrap(&format!("{before}{after}")));
}

#[test]
fn a_description_left_empty_goes_but_one_with_a_comment_stays() {
    let node = |inside: &str| {
        wrap(&format!("\n  <rdf:Description rdf:about=\"\" {DC} dc:subject=\"a\">{inside}</rdf:Description>"))
    };
    assert_eq!(change(&node(""), Property::Subject, Vec::new()), wrap(""));
    let kept = change(&node("<!-- note -->"), Property::Subject, Vec::new());
    assert!(kept.contains("<!-- note -->") && !kept.contains("subject"));
}

#[test]
fn a_property_that_is_there_twice_is_there_once_afterwards() {
    let node = format!("<rdf:Description {DC} dc:subject='a'><dc:subject>b</dc:subject></rdf:Description>");
    let packet = wrap(&node);
    let read = Properties::read(packet.as_bytes()).unwrap();
    assert_eq!(read.texts(Property::Subject), ["a", "b"]);
    assert!(!read.are(Property::Subject, &texts(&["a", "b"])));
    let changed = change(&packet, Property::Subject, texts(&["a", "b"]));
    assert!(Properties::read(changed.as_bytes()).unwrap().are(Property::Subject, &texts(&["a", "b"])));
}

#[test]
fn a_namespace_keeps_the_prefix_that_the_packet_has_for_it() {
    let packet = wrap(
        "<rdf:Description xmlns:xap='http://ns.adobe.com/xap/1.0/' xap:Rating='3'/><rdf:Description \
         xmlns:dc='http://www.digikam.org/ns/1.0/'><dc:a/></rdf:Description>",
    );
    let changes = Changes::from([
        (Property::MetadataDate, texts(&["2026"])),
        (Property::Subject, texts(&["a"])),
        (Property::TagsList, texts(&["b"])),
    ]);
    let written = String::from_utf8(edit(Some(packet.as_bytes()), &changes, 9999).unwrap()).unwrap();
    assert!(written.contains("<xap:MetadataDate>2026</xap:MetadataDate>"), "{written}");
    assert_eq!(written.matches("http://ns.adobe.com/xap/1.0/").count(), 2);
    for (property, expected) in [(Property::Subject, "a"), (Property::TagsList, "b")] {
        reads(&written, property, &[expected]);
    }
}

#[test]
fn an_empty_rdf_element_is_opened() {
    let changed = change(&format!("<rdf:RDF {RDF} />"), Property::Location, texts(&["here"]));
    assert!(changed.starts_with(&format!("<rdf:RDF {RDF} >")) && changed.ends_with("\n </rdf:RDF>"));
    reads(&changed, Property::Location, &["here"]);
    assert_eq!(
        change(&format!("<rdf:RDF {RDF} />"), Property::Location, vec![]),
        format!("<rdf:RDF {RDF} />")
    );
}

#[test]
fn a_wrapper_with_nothing_in_it_is_filled() {
    for (wrapper, name) in [
        ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" key=\"value\" />", "x:xmpmeta"),
        ("<xapmeta xmlns='adobe:ns:meta/'>\n\n</xapmeta>", "xapmeta"),
    ] {
        let packet = format!("<?xpacket begin=\"\u{FEFF}\"?>\n{wrapper}\n<?xpacket end=\"w\"?>\0\0");
        reads(&packet, Property::Subject, &[]);
        let changed = change(&packet, Property::Subject, texts(&["a"]));
        reads(&changed, Property::Subject, &["a"]);
        assert!(
            changed.contains(wrapper.split_once('>').unwrap().0.trim_end_matches([' ', '/'])),
            "{changed}"
        );
        assert!(changed.contains(&format!("</rdf:RDF>\n</{name}>")), "{changed}");
        assert!(changed.ends_with("<?xpacket end=\"w\"?>\0\0"));
    }
    for other in [
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'>text</x:xmpmeta>",
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><a/></x:xmpmeta>",
    ] {
        assert_eq!(Properties::read(other.as_bytes()), Err(XmpError::NoRdf), "{other}");
    }
}

#[test]
fn a_new_packet_has_room_for_the_next_change() {
    let first =
        edit(None, &Changes::from([(Property::Description, vec![Item::default_language("一")])]), 65_502)
            .unwrap();
    reads(&first, Property::Description, &["一"]);
    assert!((2048..4096).contains(&first.len()));
    let second =
        edit(Some(&first), &Changes::from([(Property::Subject, texts(&["a", "b"]))]), 65_502).unwrap();
    reads(&second, Property::Description, &["一"]);
    assert_eq!(second.len(), first.len());
    for blank in ["\0\0", "", "<?xpacket begin='' id=''?>\n<?xpacket end='w'?>"] {
        reads(
            edit(Some(blank.as_bytes()), &Changes::from([(Property::Subject, texts(&["a"]))]), 9999).unwrap(),
            Property::Subject,
            &["a"],
        );
    }
}

#[test]
fn other_character_sets_are_read_and_become_utf8() {
    let packet = wrap(&format!(
        "<rdf:Description {DC}><dc:subject>é</dc:subject><dc:title>ü家</dc:title></rdf:Description>"
    ));
    let wide: Vec<u8> =
        "\u{FEFF}".encode_utf16().chain(packet.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    reads(&wide, Property::Subject, &["é"]);
    let changed = edit(Some(&wide), &Changes::from([(Property::Subject, texts(&["家"]))]), 9999).unwrap();
    reads(&changed, Property::Subject, &["家"]);
    assert!(str::from_utf8(&changed).unwrap().contains("<dc:title>ü家</dc:title>"));
    let latin: Vec<u8> = packet.replace('家', "").chars().map(|c| u8::try_from(c).unwrap()).collect();
    reads(&latin, Property::Subject, &["é"]);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    for (packet, limit) in [
        (wrap("<rdf:Description>"), false),
        ("<a/>".to_owned(), false),
        ("no xml".to_owned(), false),
        (format!("<a>{0}{0}</a>", format!("<rdf:RDF {RDF}></rdf:RDF>")), false),
        (wrap(&format!("<rdf:Description {DC}><dc:subject>&bomb;</dc:subject></rdf:Description>")), false),
        (wrap(&format!("{}{}", "<a>".repeat(300), "</a>".repeat(300))), true),
        (wrap(&format!("<a{}/>", " xmlns:n='n'".repeat(600))), true),
    ] {
        let error = Properties::read(packet.as_bytes()).unwrap_err();
        assert_eq!(matches!(error, XmpError::TooMuch { .. }), limit, "{error}");
    }
}

#[test]
fn entities_of_a_document_type_are_never_expanded() {
    let bomb = format!(
        "<!DOCTYPE a [<!ENTITY b \"{}\">]>{}",
        "&c;".repeat(1000),
        wrap(&format!("<rdf:Description {DC} dc:subject='s'><dc:source>&b;</dc:source></rdf:Description>"))
    );
    reads(&bomb, Property::Subject, &["s"]);
    assert!(change(&bomb, Property::Subject, texts(&["t"])).contains("<dc:source>&b;</dc:source>"));
}

#[test]
fn a_namespace_keeps_the_prefix_the_packet_has_for_it() {
    let xap = "xmlns:xap=\"http://ns.adobe.com/xap/1.0/\"";
    let packet = wrap(&format!("<rdf:Description {xap} xap:Rating=\"3\"/>"));
    let changed = change(&packet, Property::MetadataDate, texts(&["2026-01-31T12:00:00Z"]));
    assert!(changed.contains("<xap:MetadataDate>") && !changed.contains("xmlns:xmp="), "{changed}");
    reads(&changed, Property::MetadataDate, &["2026-01-31T12:00:00Z"]);

    // One prefix for two of our namespaces, each in its own place, and a prefix of ours for somebody else's.
    let packet = wrap(
        "<rdf:Description xmlns:a='http://purl.org/dc/elements/1.1/' a:format='x'/>\
         <rdf:Description xmlns:a='http://ns.adobe.com/xap/1.0/' xmlns:digiKam='b' a:Rating='3' digiKam:c='d'/>",
    );
    let wanted = Changes::from([
        (Property::Subject, texts(&["one"])),
        (Property::TagsList, texts(&["two"])),
        (Property::MetadataDate, texts(&["2026-01-31T12:00:00Z"])),
    ]);
    let changed = edit(Some(packet.as_bytes()), &wanted, usize::MAX).unwrap();
    reads(&changed, Property::Subject, &["one"]);
    reads(&changed, Property::TagsList, &["two"]);
    reads(&changed, Property::MetadataDate, &["2026-01-31T12:00:00Z"]);
}

#[test]
fn padding_goes_nowhere_where_the_trailer_comes_first() {
    let packet = format!("<?xpacket end='w'?>{}", wrap(""));
    let changed = change(&packet, Property::Location, texts(&["here"]));
    reads(&changed, Property::Location, &["here"]);
}
