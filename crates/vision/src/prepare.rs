//! From a picture file to what a provider takes.

use std::borrow::Cow;

use bytes::Bytes;
use models::{Intake, Media};
use ocr::{Image, Languages, Reader, unwatched};
use picture::{Budget, Facts, Kind, Limits, Orientation, Picture, Pixels, Rect};

use crate::error::Error;
use crate::report::{Seen, Size};

/// What of a picture is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only this part.
    pub region: Option<Rect>,
    /// No edge longer than this.
    pub max_edge: Option<u32>,
    /// This page, where it has several.
    pub page: Option<u32>,
    /// Without what is private in it.
    pub redact: bool,
}

/// A picture ready to be sent, and what was done to it.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) media: Media,
    pub(crate) seen: Seen,
}

/// Makes a picture what a provider takes. A file that is as it should be goes as it is, without its metadata.
pub(crate) fn prepare(
    name: &str,
    bytes: &Bytes,
    wanted: Wanted,
    intake: &Intake,
    reader: &Reader,
) -> Result<Prepared, Error> {
    let unusable = |reason| Error::Picture { source_name: name.to_owned(), reason };
    let limits = Limits::default();
    let facts = picture::inspect(bytes, &limits).map_err(unusable)?;
    let edge = intake.picture_edge.min(wanted.max_edge.unwrap_or(u32::MAX));
    if let Some(plain) = as_it_is(bytes, &facts, wanted, edge, intake).filter(|_| !wanted.redact) {
        let mut seen = Seen::new(name, &facts, bytes.len());
        if plain.len() != bytes.len() {
            seen.done("metadata removed");
        }
        seen.sent(facts.kind, Size { width: facts.width, height: facts.height }, plain.len());
        let bytes = match plain {
            Cow::Borrowed(_) => bytes.clone(),
            Cow::Owned(plain) => plain.into(),
        };
        return Ok(Prepared { media: Media { mime: facts.kind.mime(), bytes }, seen });
    }
    let (facts, whole) = picture::decode(bytes, &limits).map_err(unusable)?;
    let mut seen = Seen::new(name, &facts, bytes.len());
    if facts.orientation != Orientation::Upright {
        seen.done("turned upright");
    }
    let mut part = cut(whole, wanted, &mut seen)?;
    if wanted.redact {
        part = redacted(part, reader, &mut seen)?;
    }
    let before = Size { width: part.width(), height: part.height() };
    let encoded = picture::encode_within(part, Budget { bytes: intake.picture_bytes, edge })?;
    let after = Size { width: encoded.width, height: encoded.height };
    if before != after {
        seen.done(&format!("scaled from {before} to {after}"));
    }
    seen.done(&format!("written as {}, without metadata", encoded.kind.name()));
    seen.sent(encoded.kind, after, encoded.bytes.len());
    Ok(Prepared { media: Media { mime: encoded.kind.mime(), bytes: encoded.bytes.into() }, seen })
}

/// The picture without what is private in it.
fn redacted(picture: Picture, reader: &Reader, seen: &mut Seen) -> Result<Picture, Error> {
    let pixels = Pixels::from(picture);
    let image = Image::rgb(pixels.width(), pixels.height(), pixels.bytes())?;
    let page = reader.read(image, &Languages::english(), &mut unwatched)?;
    let found = redaction::find(&page, &[]);
    seen.done(&format!("{} private things redacted", found.len()));
    Ok(redaction::redacted(&pixels, &found).into_picture())
}

/// The pixels of a picture, for a reading without a model.
pub(crate) fn pixels(name: &str, bytes: &Bytes, wanted: Wanted) -> Result<(Picture, Seen), Error> {
    let (facts, whole) = picture::decode(bytes, &Limits::default())
        .map_err(|reason| Error::Picture { source_name: name.to_owned(), reason })?;
    let mut seen = Seen::new(name, &facts, bytes.len());
    let part = cut(whole, wanted, &mut seen)?;
    let part = match wanted.max_edge {
        Some(edge) => part.within(edge),
        None => part,
    };
    Ok((part, seen))
}

fn cut(whole: Picture, wanted: Wanted, seen: &mut Seen) -> Result<Picture, Error> {
    let Some(area) = wanted.region else { return Ok(whole) };
    let part = whole.crop(area)?;
    seen.done(&format!("cut to {} × {} pixels at {}, {}", area.width, area.height, area.x, area.y));
    Ok(part)
}

/// The file without metadata, if nothing else has to be done to it.
fn as_it_is<'a>(
    bytes: &'a Bytes,
    facts: &Facts,
    wanted: Wanted,
    edge: u32,
    intake: &Intake,
) -> Option<Cow<'a, [u8]>> {
    let fits = wanted.region.is_none()
        && facts.orientation == Orientation::Upright
        && facts.width.max(facts.height) <= edge
        && intake.picture_types.contains(&facts.kind.mime())
        && matches!(facts.kind, Kind::Png | Kind::Jpeg);
    let plain = if fits { picture::without_metadata(bytes)? } else { return None };
    (plain.len() <= intake.picture_bytes).then_some(plain)
}
