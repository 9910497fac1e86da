//! The files: a few megabytes each, of what costs a reader most.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn jpeg(segments: &[u8]) -> Vec<u8> {
    [b"\xff\xd8", segments, b"\xff\xdb\0\x03x\xff\xda\0\x02picture\xff\xd9"].concat()
}

fn segment(marker: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len() + 2).unwrap().to_be_bytes();
    [&[0xFF, marker][..], &length, payload].concat()
}

/// Nothing but a picture of twenty megabytes.
pub(crate) fn large_jpeg() -> Vec<u8> {
    let mut file = jpeg(b"");
    let end = file.split_off(file.len() - 2);
    file.resize(20 << 20, 0x55);
    file.extend(end);
    file
}

pub(crate) fn jpeg_of_many_segments() -> Vec<u8> {
    jpeg(&segment(0xFE, b"").repeat(1_000_000))
}

pub(crate) fn jpeg_of_many_packets() -> Vec<u8> {
    jpeg(&segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0").repeat(60_000))
}

pub(crate) fn jpeg_of_restart_markers() -> Vec<u8> {
    jpeg(&[0xFF, 0xD0].repeat(5_000_000))
}

pub(crate) fn jpeg_of_many_resources() -> Vec<u8> {
    let resources = b"8BIM\x04\x04\0\0\0\0\0\0".repeat(5_000);
    jpeg(&segment(0xED, &[b"Photoshop 3.0\0", resources.as_slice()].concat()).repeat(60))
}

/// A few long ones.
pub(crate) fn jpeg_of_long_resources() -> Vec<u8> {
    let resource = [b"8BIM\x04\x22\0\0\0\0\xfd\xe8".as_slice(), &[b'x'; 65_000]].concat();
    jpeg(&segment(0xED, &[b"Photoshop 3.0\0", resource.as_slice()].concat()).repeat(1_000))
}

/// One block in many segments.
pub(crate) fn jpeg_of_a_long_exif() -> Vec<u8> {
    let first = [b"Exif\0\0".as_slice(), &block(0x010E, 2, b"text")].concat();
    let more = segment(0xE1, &[b"Exif\0\0".as_slice(), &[0xFF; 65_000]].concat());
    jpeg(&[segment(0xE1, &first), more.repeat(1_000)].concat())
}

fn records() -> Vec<u8> {
    let records = b"\x1c\x02\x19\0\x01a".repeat(10_000);
    let length = u32::try_from(records.len()).unwrap().to_be_bytes();
    let resource = [b"8BIM\x04\x04\0\0", &length[..], &records].concat();
    segment(0xED, &[b"Photoshop 3.0\0", resource.as_slice()].concat())
}

pub(crate) fn jpeg_of_many_records() -> Vec<u8> {
    jpeg(&records().repeat(30))
}

pub(crate) fn jpeg_of_very_many_records() -> Vec<u8> {
    jpeg(&records().repeat(300))
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    let mut sum = crc32fast::Hasher::new();
    sum.update(kind);
    sum.update(data);
    [&length[..], kind, data, &sum.finalize().to_be_bytes()].concat()
}

fn png(chunks: &[u8]) -> Vec<u8> {
    let header = chunk(b"IHDR", b"\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0");
    let picture = chunk(b"IDAT", b"x\xdacd\xf8\xcfP\x0f\0\x03\x86\x01\x80");
    [b"\x89PNG\r\n\x1a\n", &header[..], chunks, &picture, &chunk(b"IEND", b"")].concat()
}

pub(crate) fn small_png() -> Vec<u8> {
    png(b"")
}

pub(crate) fn png_of_many_descriptions() -> Vec<u8> {
    png(&chunk(b"tEXt", b"Description\0a").repeat(240_000))
}

/// Each of its characters becomes two bytes.
pub(crate) fn png_of_a_long_description() -> Vec<u8> {
    png(&chunk(b"tEXt", &[b"Description\0".as_slice(), &vec![0xE9; 30 << 20]].concat()))
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn png_of_compressed_texts() -> Vec<u8> {
    let text = deflated(&vec![b' '; 60 << 20]);
    png(&chunk(b"zTXt", &[b"Description\0\0", text.as_slice()].concat()).repeat(100))
}

/// Next to nothing in each, but a decoder for each.
pub(crate) fn png_of_many_compressed_texts() -> Vec<u8> {
    png(&chunk(b"zTXt", &[b"Description\0\0", deflated(b"a").as_slice()].concat()).repeat(240_000))
}

fn png_with_packet(packet: &str) -> Vec<u8> {
    png(&chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", packet.as_bytes()].concat()))
}

pub(crate) fn png_of_many_namespaces() -> Vec<u8> {
    let declared: String = (0..500).map(|number| format!(" xmlns:n{number}='urn:{number}'")).collect();
    png_with_packet(&format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'{declared}><rdf:Description \
         xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:subject>{}</dc:subject></rdf:Description></rdf:RDF>",
        "<n0:a/>".repeat(400_000)
    ))
}

fn png_with_rdf(content: &str) -> Vec<u8> {
    png_with_packet(&format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>{content}</rdf:RDF>"
    ))
}

pub(crate) fn png_of_many_nodes() -> Vec<u8> {
    png_with_rdf(&"<a/>".repeat(4_000_000))
}

pub(crate) fn png_of_many_properties() -> Vec<u8> {
    png_with_rdf(&format!("<rdf:Description>{}</rdf:Description>", "<a/>".repeat(4_000_000)))
}

pub(crate) fn png_of_many_attributes() -> Vec<u8> {
    png_with_rdf(&format!("<rdf:Description{}/>", " a=''".repeat(3_000_000)))
}

/// A document inside a text.
pub(crate) fn png_of_many_categories() -> Vec<u8> {
    let names: String = (0..400_000).map(|number| format!("<C Assigned=\"1\">{number}</C>")).collect();
    png_with_rdf(&format!(
        "<rdf:Description xmlns:acdsee='http://ns.acdsee.com/iptc/1.0/'><acdsee:categories><![CDATA[<Categories>\
         {names}</Categories>]]></acdsee:categories></rdf:Description>"
    ))
}

pub(crate) fn png_of_ever_new_namespaces() -> Vec<u8> {
    let nodes: String = (0..600_000).map(|number| format!("<a xmlns:b='{number:x}'/>")).collect();
    png_with_rdf(&nodes)
}

/// Long names, each of them another one, in a long packet.
pub(crate) fn png_of_long_namespaces() -> Vec<u8> {
    let name = "u".repeat(1_000);
    let nodes: String = (0..15_000).map(|number| format!("<a xmlns:b='{number:x}{name}'/>")).collect();
    png_with_rdf(&nodes)
}

/// One attribute of nearly all that a packet may have.
pub(crate) fn png_of_a_long_attribute() -> Vec<u8> {
    png_with_rdf(&format!("<rdf:Description a='{}'/>", ">".repeat(15 << 20)))
}

fn packet_of_many_keywords(count: usize) -> String {
    let items: String = (0..count).map(|number| format!("<rdf:li>{number}</rdf:li>")).collect();
    format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
         xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:subject><rdf:Bag>{items}</rdf:Bag></dc:subject>\
         </rdf:Description></rdf:RDF>"
    )
}

pub(crate) fn png_of_many_keywords() -> Vec<u8> {
    png_with_packet(&packet_of_many_keywords(500_000))
}

/// Of which a sidecar is all there is.
pub(crate) fn sidecar_of_many_keywords() -> Vec<u8> {
    packet_of_many_keywords(600_000).into_bytes()
}

pub(crate) fn png_of_a_long_text_in_xmp() -> Vec<u8> {
    png_with_rdf(&format!(
        "<rdf:Description xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:description>{}</dc:description>\
         </rdf:Description>",
        "\u{5bb6}".repeat(5 << 20)
    ))
}

/// Each of them is a token of its own.
pub(crate) fn png_of_many_character_references() -> Vec<u8> {
    png_with_rdf(&format!(
        "<rdf:Description xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:description>{}</dc:description>\
         </rdf:Description>",
        "&lt;".repeat(3_900_000)
    ))
}

/// One tag, below very many others.
pub(crate) fn png_of_many_levels() -> Vec<u8> {
    png_with_rdf(&format!(
        "<rdf:Description xmlns:d='http://www.digikam.org/ns/1.0/'><d:TagsList><rdf:Seq><rdf:li>{}</rdf:li></rdf:Seq>\
         </d:TagsList></rdf:Description>",
        "a/".repeat(7 << 20)
    ))
}

/// A block with one value, behind its only directory.
fn block(tag: u16, kind: u16, value: &[u8]) -> Vec<u8> {
    let count = u32::try_from(value.len()).unwrap();
    [b"II*\0\x08\0\0\0", &directory(&[(tag, kind, count, 26)], 0)[..], value].concat()
}

fn numbers(count: u32) -> String {
    (0..count).map(|number| format!("{number};")).collect()
}

pub(crate) fn png_of_a_long_exif() -> Vec<u8> {
    png(&chunk(b"eXIf", &[block(0x010E, 2, b"text"), vec![0xFF; 65 << 20]].concat()))
}

/// All in one text.
pub(crate) fn png_of_many_creators() -> Vec<u8> {
    png(&chunk(b"eXIf", &block(0x013B, 2, numbers(3_000_000).as_bytes())))
}

/// All in one text.
pub(crate) fn tiff_of_many_windows_keywords() -> Vec<u8> {
    let text: Vec<u8> = numbers(2_000_000).encode_utf16().flat_map(u16::to_le_bytes).collect();
    block(0x9C9E, 1, &text)
}

fn boxed(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len() + 8).unwrap().to_be_bytes()[..], kind, body].concat()
}

fn heic(items: &[u8], references: &[u8], boxes: &[u8]) -> Vec<u8> {
    let handler = boxed(b"hdlr", b"\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let primary = boxed(b"pitm", b"\0\0\0\0\0\x01");
    let infos = boxed(b"iinf", &[b"\0\0\0\0\xff\xff", items].concat());
    let iref = boxed(b"iref", &[b"\0\0\0\0", references].concat());
    let iloc = boxed(b"iloc", b"\0\0\0\0\x44\0\0\0");
    let meta = boxed(b"meta", &[b"\0\0\0\0", &handler[..], &primary, &infos, &iref, &iloc].concat());
    [&boxed(b"ftyp", b"heic\0\0\0\0mif1heic")[..], &meta, boxes].concat()
}

fn info(id: u16, kind: &[u8; 4]) -> Vec<u8> {
    boxed(b"infe", &[b"\x02\0\0\0", &id.to_be_bytes()[..], b"\0\0", kind, b"\0"].concat())
}

pub(crate) fn heic_of_many_references() -> Vec<u8> {
    let items: Vec<u8> = (2..60_000).flat_map(|id| info(id, b"Exif")).collect();
    let references: Vec<u8> = (2..60_000_u16)
        .flat_map(|id| boxed(b"cdsc", &[id.to_be_bytes(), [0, 1], 60_001_u16.to_be_bytes()].concat()))
        .collect();
    heic(&[info(1, b"hvc1"), items].concat(), &references.repeat(2), b"")
}

pub(crate) fn heic_of_many_boxes() -> Vec<u8> {
    heic(&info(1, b"hvc1"), b"", &boxed(b"mdat", b"").repeat(1_000_000))
}

pub(crate) fn webp_of_many_chunks() -> Vec<u8> {
    let picture = b"VP8L\x05\0\0\0\x2f\0\0\0\0\0";
    let body = [b"WEBP", &picture[..], &b"abcd\0\0\0\0".repeat(1_000_000)].concat();
    [b"RIFF", &u32::try_from(body.len()).unwrap().to_le_bytes()[..], &body].concat()
}

/// A directory behind everything; each value is a number.
fn directory(entries: &[(u16, u16, u32, u32)], next: u32) -> Vec<u8> {
    let mut bytes = u16::try_from(entries.len()).unwrap().to_le_bytes().to_vec();
    for (tag, kind, count, value) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend(next.to_le_bytes());
    bytes
}

/// Sixty directories that all say that the picture is in the same million strips.
pub(crate) fn tiff_of_shared_strips() -> Vec<u8> {
    const STRIPS: u32 = 1_000_000;
    let mut file = b"II*\0".to_vec();
    file.extend((8 + 4 * STRIPS).to_le_bytes());
    file.resize(usize::try_from(8 + 4 * STRIPS).unwrap(), 0);
    for number in 0..60 {
        let length = u32::try_from(file.len()).unwrap() + 2 + 4 * 12 + 4;
        let next = if number == 59 { 0 } else { length };
        let strips = [0x0111, 0x0117, 0x0144, 0x0145].map(|tag| (tag, 4, STRIPS, 8));
        file.extend(directory(&strips, next));
    }
    file
}

/// A first directory in which every entry is a description.
pub(crate) fn tiff_of_many_descriptions() -> Vec<u8> {
    let mut file = b"II*\0\x10\0\0\0abcdefgh".to_vec();
    file.extend(directory(&[(0x010E, 2, 8, 8); 65_000], 0));
    file
}

/// A first directory in which every entry leads to the same megabytes.
fn tiff_of_shared_values(tag: u16, kind: u16) -> Vec<u8> {
    const LENGTH: u32 = 15_000_000;
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    file.extend(directory(&[(tag, kind, LENGTH, 8); 65_000], 0));
    file.resize(file.len() + usize::try_from(LENGTH).unwrap(), b' ');
    file
}

pub(crate) fn tiff_of_shared_packets() -> Vec<u8> {
    tiff_of_shared_values(700, 1)
}

pub(crate) fn tiff_of_shared_descriptions() -> Vec<u8> {
    tiff_of_shared_values(0x010E, 2)
}

/// Every tag of ours leads to the same megabytes.
pub(crate) fn tiff_of_long_values() -> Vec<u8> {
    const LENGTH: u32 = 30_000_000;
    let tags = [0x010E, 0x013B, 0x4746, 0x4749, 0x8298, 0x9C9B, 0x9C9D, 0x9C9E];
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    file.extend(directory(&tags.map(|tag| (tag, 2, LENGTH, 8)), 0));
    file.resize(file.len() + usize::try_from(LENGTH).unwrap(), b' ');
    file
}
