//! Random pictures and random wishes.

use std::fmt::Write as _;

use metatag::model::{Detail, Details, Field, Mode, Modified, Removal, Wish};
use metatag::stores::{Container, Stores};

/// A small generator of numbers (`SplitMix64`): good enough to reach odd cases, and the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

const WORDS: &[&str] = &[
    "家庭",
    "海滩",
    "Paris",
    "Places/Paris",
    "a|b",
    "AC/DC",
    "x;y",
    "José",
    "Jose\u{301}",
    " spaced ",
    "<&>\"'",
    "]]>",
    "line\r\nend",
    "😀",
    "People/Ada",
    "Ada",
    "ada",
    "/",
    "",
    "  ",
    "Places|France|Paris",
    "a",
    "b",
    "c",
];

pub(crate) fn word(random: &mut Random) -> String {
    (*random.pick(WORDS)).to_owned()
}

fn words(random: &mut Random) -> Vec<String> {
    (0..random.below(5)).map(|_| word(random)).collect()
}

pub(crate) fn container(random: &mut Random) -> Container {
    *random.pick(&[
        Container::Jpeg,
        Container::Png,
        Container::Heic,
        Container::Avif,
        Container::Webp,
        Container::Tiff,
        Container::Sidecar,
    ])
}

pub(crate) fn wish(random: &mut Random, mode: Mode) -> Wish {
    Wish {
        tags: random.chance(2).then(|| words(random)),
        description: random.chance(2).then(|| word(random)),
        people: random.chance(2).then(|| words(random)),
        location: random.chance(2).then(|| word(random)),
        details: details(random),
        mode,
        modified: Modified::Now,
    }
}

/// What the fields with a form of their own can be.
const SPECIAL: &[(Field, &[&str])] = &[
    (Field::Rating, &["5", "-1", "0", ""]),
    (Field::DateTaken, &["2024-05-01", "2024-05-01T18:30:05+02:00", "1999-12-31T23:59:59", ""]),
    (Field::Position, &["48.8584, 2.2945", "-33.8567844, 151.2152967", "0, 0", ""]),
];

fn details(random: &mut Random) -> Details {
    let mut details = Details::new();
    for field in Field::DETAILS {
        if random.chance(4) {
            let special = SPECIAL.iter().find(|(special, _)| *special == field);
            let text = match special {
                Some((_, texts)) => (*random.pick(texts)).to_owned(),
                None => word(random),
            };
            details.insert(field, Detail::parse(field, &text).unwrap());
        }
    }
    details
}

pub(crate) fn removal(random: &mut Random) -> Removal {
    Removal { tags: words(random), people: words(random) }
}

pub(crate) fn mode(random: &mut Random) -> Mode {
    *random.pick(&[Mode::Overwrite, Mode::Append])
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const NAMESPACES: &str = "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:d='http://www.digikam.org/ns/1.0/' \
    xmlns:lr='http://ns.adobe.com/lightroom/1.0/' xmlns:m=\"http://ns.microsoft.com/photo/1.0/\" \
    xmlns:p='http://ns.iview-multimedia.com/mediapro/1.0/' xmlns:a='http://ns.acdsee.com/iptc/1.0/' \
    xmlns:e='http://iptc.org/std/Iptc4xmpExt/2008-02-29/' xmlns:c='http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/' \
    xmlns:t='http://ns.adobe.com/tiff/1.0/' xmlns:x='http://ns.adobe.com/xap/1.0/' xmlns:f='http://example.org/'";

const PROPERTIES: &[&str] = &[
    "dc:subject",
    "d:TagsList",
    "lr:hierarchicalSubject",
    "m:LastKeywordXMP",
    "m:LastKeywordIPTC",
    "p:CatalogSets",
    "a:keywords",
    "a:categories",
    "e:PersonInImage",
    "dc:description",
    "t:ImageDescription",
    "c:Location",
    "x:MetadataDate",
];

fn ours(random: &mut Random) -> String {
    let name = *random.pick(PROPERTIES);
    if name == "a:categories" {
        let inner =
            format!("<Categories><Category Assigned=\"1\">{}</Category></Categories>", escape(&word(random)));
        return format!("\n  <{name}>{}</{name}>", escape(&inner));
    }
    let list = *random.pick(&["Bag", "Seq", "Alt"]);
    let items: String = words(random)
        .iter()
        .map(|word| match random.below(3) {
            0 => format!("<rdf:li xml:lang='x-default'>{}</rdf:li>", escape(word)),
            1 => format!("\n<rdf:li>{}</rdf:li>", escape(word)),
            _ => format!("<rdf:li><![CDATA[{}]]></rdf:li>", word.replace("]]>", "")),
        })
        .collect();
    match random.below(4) {
        0 => format!("<{name}>{}</{name}>", escape(&word(random))),
        1 => format!("<{name}/>"),
        _ => format!("\n   <{name}>\n<rdf:{list}>{items}</rdf:{list}> </{name}>"),
    }
}

/// A piece of a packet that is not ours and has a number to know it by.
fn foreign(random: &mut Random, number: usize) -> String {
    match random.below(5) {
        0 => format!("<f:n{number}>  &#65; {}</f:n{number}>", escape(&word(random))),
        1 => format!("<!-- {number} -->"),
        2 => format!("<f:n{number} rdf:parseType=\"Resource\"><dc:subject>deep</dc:subject></f:n{number}>"),
        3 => format!("<f:n{number}   />"),
        _ => format!("<f:n{number}><rdf:Bag><rdf:li>x<![CDATA[<&]]></rdf:li></rdf:Bag></f:n{number}>"),
    }
}

/// A packet and its foreign pieces, in order.
pub(crate) fn packet(random: &mut Random) -> (Vec<u8>, Vec<String>) {
    let mut pieces = Vec::new();
    let mut nodes = String::new();
    for node in 0..random.below(4) {
        let attribute = match random.below(3) {
            0 => format!(" c:Location = \"{}\"", escape(&word(random)).replace('\r', "")),
            1 => format!(" dc:subject='{}'", escape(&word(random)).replace(['\'', '\r'], "")),
            _ => String::new(),
        };
        let _ = write!(nodes, "\n <rdf:Description rdf:about='uuid:1' {NAMESPACES}{attribute}>");
        for child in 0..random.below(6) {
            if random.chance(2) {
                nodes.push_str(&ours(random));
            } else {
                let piece = foreign(random, node * 10 + child);
                nodes.push_str(&piece);
                pieces.push(piece);
            }
        }
        nodes.push_str("</rdf:Description>");
    }
    let rdf = format!("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>{nodes}\n</rdf:RDF>");
    let whole = match random.below(3) {
        0 => rdf,
        1 => format!("<y:xmpmeta xmlns:y='adobe:ns:meta/'>{rdf}</y:xmpmeta>"),
        _ => format!(
            "<?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>\n{rdf}{}<?xpacket end='w'?>",
            " ".repeat(random.below(3000))
        ),
    };
    (whole.into_bytes(), pieces)
}

fn dataset(record: u8, number: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap().to_be_bytes();
    [&[0x1C, record, number][..], &length, data].concat()
}

/// IPTC records, and those of them that are not ours and need no other character set.
pub(crate) fn records(random: &mut Random) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut all = Vec::new();
    let mut pieces = Vec::new();
    if random.chance(2) {
        all.extend(dataset(1, 90, b"\x1B%G"));
    }
    for _ in 0..random.below(8) {
        match random.below(5) {
            0 => all.extend(dataset(2, *random.pick(&[25, 92, 120]), word(random).as_bytes())),
            1 => all.extend(dataset(2, *random.pick(&[25, 92, 120]), b"caf\xE9")),
            2 => all.extend(dataset(2, 80, b"Ren\xE9")),
            _ => {
                let (record, number) = *random.pick(&[(1, 0), (2, 5), (2, 85), (2, 202), (3, 10), (8, 10)]);
                let piece = dataset(record, number, word(random).as_bytes());
                all.extend_from_slice(&piece);
                pieces.push(piece);
            }
        }
    }
    (all, pieces)
}

/// A TIFF block with a few values, and where these are: (offset, bytes).
pub(crate) fn block(random: &mut Random) -> (Vec<u8>, Vec<(usize, Vec<u8>)>) {
    let big = random.chance(2);
    let u16 = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let u32 = |value: usize| {
        let value = u32::try_from(value).unwrap();
        if big { value.to_be_bytes() } else { value.to_le_bytes() }
    };
    let tags: Vec<u16> =
        [0x010E, 0x010F, 0x0110, 0x0131, 0x9C9E, 0xC000].into_iter().filter(|_| random.chance(2)).collect();
    let mut directory = u16(u16::try_from(tags.len()).unwrap()).to_vec();
    let data_start = 8 + 2 + tags.len() * 12 + 4;
    let mut data = Vec::new();
    let mut places = Vec::new();
    for tag in tags {
        let value = match tag {
            0x9C9E => word(random).encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect(),
            _ => word(random).into_bytes().into_iter().chain([0]).collect::<Vec<u8>>(),
        };
        let kind = if tag == 0x9C9E { 1 } else { 2 };
        directory.extend([&u16(tag)[..], &u16(kind), &u32(value.len())].concat());
        if value.len() <= 4 {
            directory.extend(value.iter().copied().chain([0; 4]).take(4));
            continue;
        }
        directory.extend(u32(data_start + data.len()));
        if tag != 0x010E && tag != 0x9C9E {
            places.push((data_start + data.len(), value.clone()));
        }
        data.extend(value);
        if random.chance(3) {
            let maker: Vec<u8> = (0..=random.below(20)).map(|_| random.next().to_le_bytes()[0]).collect();
            places.push((data_start + data.len(), maker.clone()));
            data.extend(maker);
        }
    }
    directory.extend(u32(0));
    let header = if big { *b"MM\0*" } else { *b"II*\0" };
    ([&header[..], &u32(8), &directory, &data].concat(), places)
}

/// The stores of a picture, with all that is foreign in them.
pub(crate) struct Picture {
    pub(crate) container: Container,
    pub(crate) stores: Stores,
    pub(crate) xmp: Vec<String>,
    pub(crate) further_xmp: Vec<String>,
    pub(crate) extended_xmp: Vec<String>,
    pub(crate) iim: Vec<Vec<u8>>,
    pub(crate) further_iim: Vec<Vec<u8>>,
    pub(crate) exif: Vec<(usize, Vec<u8>)>,
}

pub(crate) fn picture(random: &mut Random) -> Picture {
    let container = container(random);
    let mut picture = Picture {
        container,
        stores: Stores::default(),
        xmp: Vec::new(),
        further_xmp: Vec::new(),
        extended_xmp: Vec::new(),
        iim: Vec::new(),
        further_iim: Vec::new(),
        exif: Vec::new(),
    };
    if !random.chance(4) {
        let (bytes, pieces) = packet(random);
        (picture.stores.xmp, picture.xmp) = (Some(bytes), pieces);
    }
    let holds_exif = container != Container::Sidecar;
    if holds_exif && !random.chance(4) {
        let (bytes, pieces) = block(random);
        (picture.stores.exif, picture.exif) = (Some(bytes), pieces);
    }
    let may_hold_iptc = matches!(container, Container::Jpeg | Container::Png | Container::Tiff);
    if may_hold_iptc && random.chance(2) {
        let (bytes, pieces) = records(random);
        (picture.stores.iim, picture.iim) = (Some(bytes), pieces);
        picture.stores.iim_digest = random.chance(2).then_some([7; 16]);
        if random.chance(4) {
            let (bytes, pieces) = records(random);
            picture.stores.further_iim.push(bytes);
            picture.further_iim = pieces;
        }
    }
    if container == Container::Jpeg && picture.stores.xmp.is_some() && random.chance(4) {
        let (bytes, pieces) = packet(random);
        picture.stores.further_xmp.push(bytes);
        picture.further_xmp = pieces;
    }
    if container == Container::Jpeg && picture.stores.xmp.is_some() && random.chance(4) {
        let (bytes, pieces) = packet(random);
        picture.stores.extended_xmp = Some(bytes);
        picture.extended_xmp = pieces;
    }
    if container == Container::Png && random.chance(2) {
        picture.stores.png_description = Some(word(random));
    }
    picture
}
