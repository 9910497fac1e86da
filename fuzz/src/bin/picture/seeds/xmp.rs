//! XMP packets in every spelling and encoding.

use crate::mutate::Seeds;

const HEAD: &str =
    "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\">";
const RDF: &str = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
                   xmlns:xap=\"http://ns.adobe.com/xap/1.0/\" xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\" \
                   xmlns:digiKam=\"http://www.digikam.org/ns/1.0/\" xmlns:l=\"http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/\">";
const TAIL: &str = "</rdf:RDF></x:xmpmeta>   \n   <?xpacket end=\"w\"?>";

pub(crate) fn one() -> Vec<u8> {
    packet(
        "<rdf:Description rdf:about='' xap:Rating='3' l:Location='Paris'><dc:subject><rdf:Bag><rdf:li>old</rdf:li>\
         <rdf:li>a &amp; &#x5BB6;<![CDATA[<b>]]></rdf:li></rdf:Bag></dc:subject><dc:description><rdf:Alt>\
         <rdf:li xml:lang='x-default'>text</rdf:li><rdf:li xml:lang='zh-CN'>字</rdf:li></rdf:Alt></dc:description>\
         <dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator></rdf:Description>",
    )
}

fn packet(nodes: &str) -> Vec<u8> {
    format!("{HEAD}{RDF}{nodes}{TAIL}").into_bytes()
}

pub(crate) fn seeds() -> Seeds {
    let paths = packet(
        "<rdf:Description rdf:about='x'><lr:hierarchicalSubject><rdf:Bag><rdf:li>places|Paris</rdf:li></rdf:Bag>\
         </lr:hierarchicalSubject><digiKam:TagsList><rdf:Seq><rdf:li>places/Paris</rdf:li></rdf:Seq></digiKam:TagsList>\
         </rdf:Description><rdf:Description rdf:about='x'><!-- a comment --></rdf:Description>",
    );
    let people = packet(
        "<rdf:Description xmlns:e='http://iptc.org/std/Iptc4xmpExt/2008-02-29/'><e:PersonInImage><rdf:Bag>\
         <rdf:li>Ada</rdf:li></rdf:Bag></e:PersonInImage></rdf:Description>",
    );
    let wide: Vec<u8> = String::from_utf8_lossy(&one()).encode_utf16().flat_map(u16::to_be_bytes).collect();
    Seeds {
        whole: vec![
            one(),
            paths,
            people,
            wide,
            packet(""),
            packet("<rdf:Description/>"),
            b"<?xpacket end='w'?>".to_vec(),
        ],
        pieces: vec![
            b"<rdf:Description rdf:about=''>",
            b"</rdf:Description>",
            b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
            b"<dc:subject>",
            b"</dc:subject>",
            b"<rdf:li xml:lang='x-default'>",
            b"<rdf:Bag/>",
            b" xmlns:dc='http://purl.org/dc/elements/1.1/'",
            b" xmlns='http://purl.org/dc/elements/1.1/'",
            b" dc:subject='a'",
            b" rdf:parseType='Resource'",
            b"<![CDATA[",
            b"]]>",
            b"<!--",
            b"-->",
            b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
            b"&b;",
            b"&#0;",
            b"<?xpacket end='r'?>",
            b"\xEF\xBB\xBF",
            b"\xFF",
            b"'",
            b"\"",
            b"<",
            b">",
            b"\r",
        ],
    }
}
