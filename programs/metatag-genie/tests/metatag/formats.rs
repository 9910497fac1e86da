//! Formats beyond the first three, and files that are odd: what exiftool reads after a write, and before.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::exiftool;
use crate::genie::{Folder, Genie, genie};
use crate::{heic, pictures};

fn metadata() -> Value {
    json!({ "tags": ["海滩", "假期"], "description": "一家人在海边", "people": ["张三"], "location": "法国巴黎" })
}

/// Writes everything, reads it with exiftool, sees that nothing else changed, and writes it again.
#[track_caller]
fn check(genie: &mut Genie, path: &Path, expected: &[&str]) {
    let before = exiftool::read(path);
    genie.write(path, &metadata());
    let after = exiftool::read(path);
    assert_eq!(exiftool::list(path, "XMP-dc:Subject"), ["海滩", "假期", "张三"], "{after}");
    assert_eq!(exiftool::list(path, "XMP-digiKam:TagsList"), ["海滩", "假期", "张三"]);
    assert_eq!(exiftool::list(path, "XMP-iptcExt:PersonInImage"), ["张三"]);
    assert_eq!(exiftool::list(path, "XMP-dc:Description"), ["一家人在海边"]);
    assert_eq!(exiftool::list(path, "XMP-iptcCore:Location"), ["法国巴黎"]);
    assert_eq!(exiftool::list(path, "IFD0:ImageDescription"), ["一家人在海边"]);
    assert_eq!(exiftool::complaints(path), Vec::<String>::new());
    for tag in expected {
        assert!(!before[*tag].is_null(), "{tag}: {before}");
        assert_eq!(after[*tag], before[*tag], "{tag}");
    }
    let bytes = fs::read(path).expect("the picture");
    genie.write(path, &metadata());
    assert!(bytes == fs::read(path).expect("the picture"), "the second time changes nothing");
}

#[test]
fn webp_of_every_kind() {
    let mut genie = genie();
    for (name, bytes) in
        [("lossy.webp", pictures::webp_lossy()), ("lossless.webp", pictures::webp_lossless())]
    {
        let path = genie.folder.file(name, &bytes);
        check(&mut genie, &path, &["RIFF:ImageWidth", "RIFF:ImageHeight"]);
        exiftool::put(&path, &["-IFD0:Artist=Ada", "-XMP-dc:Rights=mine"]);
        check(&mut genie, &path, &["IFD0:Artist", "XMP-dc:Rights", "RIFF:ImageWidth"]);
    }
}

#[test]
fn avif() {
    let mut genie = genie();
    let path = genie.folder.file("a.avif", &heic::picture_of(*b"avif", *b"av01"));
    check(&mut genie, &path, &["QuickTime:ImageSpatialExtent"]);
    assert_eq!(exiftool::list(&path, "File:FileType"), ["AVIF"]);
}

#[test]
fn tiff_in_both_byte_orders_with_and_without_iptc() {
    let mut genie = genie();
    for (name, bytes) in [("little.tif", pictures::tiff_little()), ("big.tif", pictures::tiff_big())] {
        let path = genie.folder.file(name, &bytes);
        check(&mut genie, &path, &["IFD0:ImageWidth", "IFD0:StripOffsets"]);
        assert_eq!(fs::read(&path).expect("the picture")[8..bytes.len()], bytes[8..], "nothing has moved");
        let tags = [
            "-IPTC:Keywords=old",
            "-IPTC:Credit=Ada",
            "-IFD0:XPKeywords=old",
            "-Photoshop:IPTCDigest=new",
            "-ExifIFD:LensModel=a lens",
        ];
        exiftool::put(&path, &tags);
        check(&mut genie, &path, &["IPTC:Credit", "ExifIFD:LensModel", "IFD0:ImageWidth"]);
        assert_eq!(exiftool::list(&path, "IPTC:Keywords"), ["海滩", "假期", "张三"]);
        assert_eq!(exiftool::list(&path, "IFD0:XPKeywords"), ["海滩;假期;张三"]);
    }
}

#[test]
fn dng_stays_readable() {
    let mut genie = genie();
    let path = genie.folder.file("a.dng", &pictures::tiff_big());
    exiftool::put(&path, &["-IFD0:DNGVersion=1.4.0.0", "-IFD0:UniqueCameraModel=a camera"]);
    check(&mut genie, &path, &["IFD0:DNGVersion", "IFD0:UniqueCameraModel", "IFD0:StripOffsets"]);
}

#[test]
fn windows_keywords_are_refreshed() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    exiftool::put(&path, &["-IFD0:XPKeywords=alt;旧", "-IFD0:Make=a maker"]);
    check(&mut genie, &path, &["IFD0:Make"]);
    assert_eq!(exiftool::list(&path, "IFD0:XPKeywords"), ["海滩;假期;张三"]);
}

#[test]
fn what_does_not_fit_continues_in_extended_xmp() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    let rights = format!("-XMP-dc:Rights={}", "r".repeat(40_000));
    let source = format!("-XMP-dc:Source={}", "s".repeat(20_000));
    exiftool::put(&path, &[&rights, &source]);
    let long = "长".repeat(6_000);
    let before = exiftool::read(&path);
    genie.write(&path, &json!({ "description": long }));
    let after = exiftool::read(&path);
    assert_eq!(after["XMP-dc:Description"], json!(long));
    assert_eq!(after["XMP-dc:Rights"], before["XMP-dc:Rights"]);
    assert_eq!(after["XMP-dc:Source"], before["XMP-dc:Source"]);
    assert!(after["XMP-xmpNote:HasExtendedXMP"].is_string(), "{}", after["XMP-xmpNote:HasExtendedXMP"]);
    assert_eq!(exiftool::complaints(&path), Vec::<String>::new());
    genie.write(&path, &json!({ "tags": ["海滩"] }));
    assert_eq!(exiftool::read(&path)["XMP-dc:Rights"], before["XMP-dc:Rights"]);
}

#[test]
fn every_xmp_packet_of_a_jpeg_says_the_same() {
    let mut genie = genie();
    let jpeg = pictures::jpeg();
    let packet = |subject: &str| {
        let xml = format!(
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' \
             xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:subject><rdf:Bag><rdf:li>{subject}</rdf:li></rdf:Bag>\
             </dc:subject></rdf:Description></rdf:RDF>"
        );
        let payload = [b"http://ns.adobe.com/xap/1.0/\0", xml.as_bytes()].concat();
        let length = u16::try_from(payload.len() + 2).expect("short").to_be_bytes();
        [b"\xff\xe1", length.as_slice(), &payload].concat()
    };
    let path = genie.folder.file("a.jpg", &[&jpeg[..2], &packet("one"), &packet("two"), &jpeg[2..]].concat());
    genie.append(&path, &json!({ "tags": ["three"] }));
    assert_eq!(exiftool::list(&path, "XMP-dc:Subject"), ["one", "two", "three"]);
    genie.write(&path, &json!({ "tags": [] }));
    assert_eq!(exiftool::list(&path, "XMP-dc:Subject"), Vec::<String>::new());
}

/// Files that hold no metadata of ours, by name and content.
fn raw_and_video(folder: &Folder) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let canon = [b"II*\0\x10\0\0\0CR\x02\0".as_slice(), &[0; 100]].concat();
    let movie = [b"\0\0\0\x14ftypqt  \0\0\0\0qt  ".as_slice(), b"\0\0\0\x08mdat"].concat();
    let list = [("a.CR2", canon), ("b.nef", pictures::tiff_big()), ("c.mov", movie)];
    list.into_iter().map(|(name, bytes)| (folder.file(name, &bytes), bytes)).collect()
}

#[test]
fn raw_pictures_and_videos_get_a_sidecar_and_stay_as_they_are() {
    let mut genie = genie();
    for (path, bytes) in raw_and_video(&genie.folder) {
        let message = genie.write(&path, &metadata());
        assert!(message.contains("XMP"), "{message}");
        assert!(fs::read(&path).expect("the file") == bytes);
        let mut name = path.file_name().expect("a name").to_owned();
        name.push(".xmp");
        let sidecar = path.with_file_name(name);
        assert_eq!(exiftool::list(&sidecar, "XMP-dc:Subject"), ["海滩", "假期", "张三"]);
        assert_eq!(exiftool::list(&sidecar, "XMP-dc:Description"), ["一家人在海边"]);
        assert_eq!(exiftool::complaints(&sidecar), Vec::<String>::new());
        let written = fs::read(&sidecar).expect("the sidecar");
        genie.write(&path, &metadata());
        assert!(written == fs::read(&sidecar).expect("the sidecar"));
    }
}

#[test]
fn a_sidecar_of_lightroom_is_the_one_that_is_changed() {
    let mut genie = genie();
    let (path, _) = raw_and_video(&genie.folder).remove(0);
    let sidecar = genie.folder.file(
        "a.xmp",
        b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
         <rdf:Description rdf:about='' xmlns:crs='http://ns.adobe.com/camera-raw-settings/1.0/' crs:Exposure2012='+0.50'/>\
         </rdf:RDF></x:xmpmeta>",
    );
    genie.write(&path, &json!({ "tags": ["海滩"] }));
    assert_eq!(exiftool::list(&sidecar, "XMP-dc:Subject"), ["海滩"]);
    assert_eq!(exiftool::list(&sidecar, "XMP-crs:Exposure2012"), ["+0.50"]);
    assert!(!genie.folder.path("a.CR2.xmp").exists());
}

#[test]
fn a_name_without_its_content_gets_no_sidecar() {
    let mut genie = genie();
    for (name, bytes) in [
        ("a.nef", b"some text".to_vec()),
        ("a.gif", b"some text".to_vec()),
        ("a.bmp", b"some text".to_vec()),
        ("a.xmp", b"some text".to_vec()),
    ] {
        let path = genie.folder.file(name, &bytes);
        let error = genie.error(&json!({ "filePath": path, "metadata": metadata() }));
        assert_eq!(error["code"], -32004, "{name}: {error}");
    }
    // A JPEG that is called raw is a JPEG.
    let path = genie.folder.file("b.cr2", &pictures::jpeg());
    genie.write(&path, &json!({ "tags": ["海滩"] }));
    assert!(!genie.folder.path("b.cr2.xmp").exists());
}

#[test]
fn signed_provenance_is_spoken_of() {
    let mut genie = genie();
    let jpeg = pictures::jpeg();
    let manifest = b"JP\0\x01\0\0\0\x01\0\0\0\x10jumb\0\0\0\x08jumdc2pa";
    let length = u16::try_from(manifest.len() + 2).expect("short").to_be_bytes();
    let segment = [b"\xff\xeb", length.as_slice(), manifest].concat();
    let path = genie.folder.file("a.jpg", &[&jpeg[..2], &segment, &jpeg[2..]].concat());
    let message = genie.write(&path, &json!({ "tags": ["海滩"] }));
    assert!(message.contains("C2PA"), "{message}");
    let written = fs::read(&path).expect("the picture");
    assert!(written.windows(segment.len()).any(|window| window == segment));
}
