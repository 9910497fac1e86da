//! What a model is shown: pictures, pages of PDF files, videos, or frames of them.

use std::sync::Arc;

use bytes::Bytes;
use files::Roots;
use models::{Media, Part, Provider};

use super::{Call, Looker};
use crate::error::Error;
use crate::frames::{self, Frame, FramesError};
use crate::load::{MOST_PICTURE, MOST_VIDEO};
use crate::prepare::{self, Prepared, Wanted};
use crate::report::{Drawn, Seen};
use crate::source::named;
use crate::{pdf, video};

/// What a model is shown.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) parts: Vec<Part>,
    pub(super) images: Vec<Seen>,
    /// What it has to know about them.
    pub(super) about: Option<String>,
}

/// A picture as it was found.
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) bytes: Bytes,
    /// Where it comes from, if it was drawn.
    pub(super) page: Option<Drawn>,
}

impl Looker {
    /// What of the pictures; private things go where the person made that the rule.
    fn wanted(&self, call: &Call) -> Wanted {
        Wanted { redact: call.wanted.redact || self.config.redact, ..call.wanted }
    }

    /// Pictures and pages, as the provider takes them.
    pub(super) async fn show_pictures(
        &self,
        provider: Provider,
        call: &Call,
        roots: &Roots,
    ) -> Result<Shown, Error> {
        let mut shown = Shown::default();
        let mut loaded = Vec::with_capacity(call.sources.len());
        for source in &call.sources {
            loaded.push(self.load_picture(source, roots, call.wanted).await?);
        }
        refuse_page_of_pictures(&loaded, call.wanted)?;
        for Loaded { name, bytes, page } in loaded {
            let (wanted, intake, reader) = (self.wanted(call), provider.intake(), Arc::clone(&self.reader));
            let preparing = move || prepare::prepare(&name, &bytes, wanted, &intake, &reader);
            let Prepared { media, mut seen } = self.on_a_thread(preparing).await?;
            seen.drawn_from(page);
            shown.parts.push(Part::Picture(media));
            shown.images.push(seen);
        }
        Ok(shown)
    }

    /// A video; as pictures, where the provider takes no other.
    pub(super) async fn show_video(
        &self,
        provider: Provider,
        call: &Call,
        roots: &Roots,
    ) -> Result<Shown, Error> {
        let of_pictures = [("region", call.wanted.region.is_some()), ("page", call.wanted.page.is_some())];
        if let Some((name, _)) = of_pictures.iter().find(|(_, is_given)| *is_given) {
            return Err(Error::NotForVideos(name));
        }
        if self.wanted(call).redact && provider.intake().video_bytes.is_some() {
            return Err(Error::CannotRedactVideos);
        }
        let mut shown = Shown::default();
        for source in &call.sources {
            let bytes = self.loader.load(source, roots, MOST_VIDEO).await?;
            let video = video::prepare(source, bytes, provider)?;
            if provider.intake().video_bytes.is_some() {
                shown.parts.push(Part::Video(video));
            } else {
                self.show_frames(provider, call, &named(source), &video, &mut shown).await?;
            }
        }
        Ok(shown)
    }

    /// The video as pictures.
    async fn show_frames(
        &self,
        provider: Provider,
        call: &Call,
        name: &str,
        video: &Media,
        shown: &mut Shown,
    ) -> Result<(), Error> {
        let ffmpeg = frames::find_ffmpeg(self.config.programs.as_deref());
        let ffmpeg = ffmpeg.ok_or(FramesError::NoFfmpeg(provider))?;
        let frames = {
            let _permit = self.decoders.acquire().await.map_err(|_| Error::Interrupted)?;
            frames::take(&ffmpeg, &video.bytes).await?
        };
        shown.about = Some(frames.told());
        for Frame { at, bytes } in frames.all {
            let name = format!("{} at {}", name.trim_matches('`'), frames::seconds(at));
            let (wanted, intake, reader) = (self.wanted(call), provider.intake(), Arc::clone(&self.reader));
            let preparing = move || prepare::prepare(&name, &bytes, wanted, &intake, &reader);
            let Prepared { media, seen } = self.on_a_thread(preparing).await?;
            shown.parts.push(Part::Picture(media));
            shown.images.push(seen);
        }
        Ok(())
    }

    /// The bytes of a picture; of a PDF, those of a page.
    pub(super) async fn load_picture(
        &self,
        source: &str,
        roots: &Roots,
        wanted: Wanted,
    ) -> Result<Loaded, Error> {
        let bytes = self.loader.load(source, roots, MOST_PICTURE).await?;
        let name = named(source);
        if !pdf::is_pdf(&bytes) {
            return Ok(Loaded { name, bytes, page: None });
        }
        let _permit = self.decoders.acquire().await.map_err(|_| Error::Interrupted)?;
        let page = pdf::open(self.config.pages.as_ref(), &name, &bytes, wanted.page.unwrap_or(1)).await?;
        let drawn = Drawn { number: page.number, pages: page.pages, file_bytes: bytes.len() };
        Ok(Loaded { name, bytes: page.png, page: Some(drawn) })
    }
}

/// A picture has one page, and comparing a PDF with a picture is fine; a second page of pictures alone is a mistake.
pub(super) fn refuse_page_of_pictures(loaded: &[Loaded], wanted: Wanted) -> Result<(), Error> {
    let is_mistake = wanted.page.is_some_and(|page| page > 1) && loaded.iter().all(|one| one.page.is_none());
    match loaded.first() {
        Some(first) if is_mistake => Err(Error::NoPages { source_name: first.name.clone() }),
        _ => Ok(()),
    }
}
