//! Videos: which files are some, and what they are called on the wire.

use bytes::Bytes;
use models::{Media, Provider};

use crate::error::Error;
use crate::source::named;

/// The first boxes of a file of the MP4 family.
const BOXES: [&[u8]; 6] = [b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"];

/// A video as a provider takes it.
pub(crate) fn prepare(source: &str, bytes: Bytes, provider: Provider) -> Result<Media, Error> {
    let mime = mime(source, &bytes).ok_or_else(|| Error::NotVideo { source_name: named(source) })?;
    match provider.intake().video_bytes {
        Some(limit) if bytes.len() > limit => Err(Error::VideoTooLarge {
            source_name: named(source),
            size: bytes.len(),
            limit,
            provider: provider.to_string(),
        }),
        _ => Ok(Media { mime, bytes }),
    }
}

/// By the bytes whether it is a video, by the name which of the family it is.
fn mime(source: &str, bytes: &[u8]) -> Option<&'static str> {
    if !bytes.get(4..8).is_some_and(|kind| BOXES.contains(&kind)) {
        return None;
    }
    let path = source.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let brand = bytes.get(8..12).filter(|_| bytes[4..8] == *b"ftyp");
    // A picture of the same family is none.
    if matches!(brand, Some(b"heic" | b"heix" | b"mif1" | b"msf1" | b"avif" | b"avis" | b"hevc" | b"M4A ")) {
        return None;
    }
    Some(match (path.rsplit('.').next(), brand) {
        (Some("mov"), _) | (_, Some(b"qt  ")) => "video/quicktime",
        (Some("m4v"), _) | (_, Some(b"M4V ")) => "video/x-m4v",
        _ => "video/mp4",
    })
}

#[cfg(test)]
mod tests {
    use super::mime;

    #[test]
    fn videos_are_known_by_their_bytes_and_named_by_their_family() {
        let mp4 = b"\0\0\0\x18ftypisom\0\0\0\0";
        assert_eq!(mime("/a.mp4", mp4), Some("video/mp4"));
        assert_eq!(mime("/a.MOV", mp4), Some("video/quicktime"));
        assert_eq!(mime("/a.m4v", mp4), Some("video/x-m4v"));
        assert_eq!(mime("data:", b"\0\0\0\x14ftypqt  \0\0\0\0"), Some("video/quicktime"));
        assert_eq!(mime("https://a.example/b.mov?x=1.mp4", b"\0\0\0\x08moov"), Some("video/quicktime"));
        for other in [
            &b"\0\0\0\x18ftypheic"[..],
            b"\0\0\0\x18ftypM4A ",
            b"just a text in a file",
            b"",
            b"\x89PNG\r\n\x1a\n",
        ] {
            assert_eq!(mime("/a.mp4", other), None);
        }
    }
}
