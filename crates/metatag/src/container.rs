//! Picture files taken apart and put together again. What is not metadata of ours is kept as the bytes it was.

pub(crate) mod gif;
pub(crate) mod heic;
pub(crate) mod jpeg;
pub(crate) mod png;
pub(crate) mod raw;
pub mod sidecar;
pub(crate) mod tiff;
pub(crate) mod webp;

use std::borrow::Cow;

use crate::model::Note;
use crate::stores::{Container, Stores};

use gif::Gif;
use heic::Heic;
use jpeg::Jpeg;
use png::Png;
use sidecar::Sidecar;
use tiff::Tiff;
use webp::Webp;

/// A picture file taken apart.
#[derive(Debug)]
pub enum Picture<'a> {
    /// A JPEG file.
    Jpeg(Jpeg<'a>),
    /// A PNG file.
    Png(Png<'a>),
    /// A HEIC or AVIF file.
    Heic(Box<Heic<'a>>),
    /// A WebP file.
    Webp(Webp<'a>),
    /// A GIF file.
    Gif(Gif<'a>),
    /// A TIFF or DNG file.
    Tiff(Tiff<'a>),
    /// XMP beside a file that holds none.
    Sidecar(Sidecar),
}

/// A picture file put together with other metadata.
#[derive(Debug)]
pub struct Rewritten {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// What it really holds now: a block that has no room stays as it was.
    pub stores: Stores,
    /// What to tell whoever asked.
    pub notes: Vec<Note>,
}

/// A part of a file that is not ours, for comparing before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    /// What it is, in the words of the format.
    pub what: String,
    /// Its bytes, without what has to change when other parts grow.
    pub bytes: Cow<'a, [u8]>,
}

/// Why a file cannot be taken apart or put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// It is none of the formats.
    #[error("the file is not a JPEG, PNG, HEIC, AVIF, WebP, GIF, TIFF or DNG picture")]
    Unsupported,
    /// It begins like one of them and goes on like none.
    #[error("the {format} file is damaged: {reason}; restore it from a copy or choose another file")]
    Damaged {
        /// Which format.
        format: &'static str,
        /// What is wrong, and where.
        reason: String,
    },
    /// It is whole, but has something we would break.
    #[error("the {format} file cannot be changed safely: {reason}")]
    Unsafe {
        /// Which format.
        format: &'static str,
        /// What it has.
        reason: String,
    },
}

impl FormatError {
    /// The same about a format that shares the code of another.
    fn of(self, container: Container) -> FormatError {
        let format = container.name();
        match self {
            FormatError::Unsupported => FormatError::Unsupported,
            FormatError::Damaged { reason, .. } => FormatError::Damaged { format, reason },
            FormatError::Unsafe { reason, .. } => FormatError::Unsafe { format, reason },
        }
    }
}

/// The format of a file, by its content.
pub fn detect(bytes: &[u8]) -> Option<Container> {
    if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        return Some(Container::Jpeg);
    }
    if bytes.starts_with(png::SIGNATURE) {
        return Some(Container::Png);
    }
    if webp::is_webp(bytes) {
        return Some(Container::Webp);
    }
    if gif::is_gif(bytes) {
        return Some(Container::Gif);
    }
    if tiff::is_tiff(bytes) {
        return Some(Container::Tiff);
    }
    heic::detect(bytes)
}

impl<'a> Picture<'a> {
    /// Takes a file apart.
    pub fn parse(bytes: &'a [u8]) -> Result<Picture<'a>, FormatError> {
        match detect(bytes) {
            Some(Container::Jpeg) => Jpeg::parse(bytes).map(Picture::Jpeg),
            Some(Container::Png) => Png::parse(bytes).map(Picture::Png),
            Some(container @ (Container::Heic | Container::Avif)) => Heic::parse(bytes, container)
                .map(|heic| Picture::Heic(Box::new(heic)))
                .map_err(|error| error.of(container)),
            Some(Container::Webp) => Webp::parse(bytes).map(Picture::Webp),
            Some(Container::Gif) => Gif::parse(bytes).map(Picture::Gif),
            Some(Container::Tiff) => Tiff::parse(bytes).map(Picture::Tiff),
            Some(Container::Sidecar) | None => Err(FormatError::Unsupported),
        }
    }

    /// Takes a sidecar for what it is; an empty one is one that is not there yet.
    pub fn sidecar(bytes: &'a [u8]) -> Picture<'a> {
        Picture::Sidecar(Sidecar::new(bytes))
    }

    /// Takes other bytes apart as what this one is.
    pub(crate) fn parse_alike<'b>(&self, bytes: &'b [u8]) -> Result<Picture<'b>, FormatError> {
        match self {
            Picture::Sidecar(_) => Ok(Picture::sidecar(bytes)),
            Picture::Jpeg(_)
            | Picture::Png(_)
            | Picture::Heic(_)
            | Picture::Webp(_)
            | Picture::Gif(_)
            | Picture::Tiff(_) => Picture::parse(bytes),
        }
    }

    /// Its format.
    pub fn container(&self) -> Container {
        match self {
            Picture::Jpeg(_) => Container::Jpeg,
            Picture::Png(_) => Container::Png,
            Picture::Heic(heic) => heic.container(),
            Picture::Webp(_) => Container::Webp,
            Picture::Gif(_) => Container::Gif,
            Picture::Tiff(_) => Container::Tiff,
            Picture::Sidecar(_) => Container::Sidecar,
        }
    }

    /// Its metadata blocks.
    pub fn stores(&self) -> &Stores {
        match self {
            Picture::Jpeg(jpeg) => jpeg.stores(),
            Picture::Png(png) => png.stores(),
            Picture::Heic(heic) => heic.stores(),
            Picture::Webp(webp) => webp.stores(),
            Picture::Gif(gif) => gif.stores(),
            Picture::Tiff(tiff) => tiff.stores(),
            Picture::Sidecar(sidecar) => sidecar.stores(),
        }
    }

    /// Puts it together with other metadata blocks.
    pub fn rewrite(&self, stores: &Stores) -> Result<Rewritten, FormatError> {
        match self {
            Picture::Jpeg(jpeg) => jpeg.rewrite(stores),
            Picture::Png(png) => png.rewrite(stores),
            Picture::Heic(heic) => heic.rewrite(stores).map_err(|error| error.of(heic.container())),
            Picture::Webp(webp) => webp.rewrite(stores),
            Picture::Gif(gif) => gif.rewrite(stores),
            Picture::Tiff(tiff) => tiff.rewrite(stores),
            Picture::Sidecar(_) => Ok(Sidecar::rewrite(stores)),
        }
    }

    /// Everything that is not ours, in order.
    pub fn foreign(&self) -> Vec<Piece<'a>> {
        match self {
            Picture::Jpeg(jpeg) => jpeg.foreign(),
            Picture::Png(png) => png.foreign(),
            Picture::Heic(heic) => heic.foreign(),
            Picture::Webp(webp) => webp.foreign(),
            Picture::Gif(gif) => gif.foreign(),
            Picture::Tiff(tiff) => tiff.foreign(),
            // What is not ours is in the packet, and that keeps it.
            Picture::Sidecar(_) => Vec::new(),
        }
    }
}
