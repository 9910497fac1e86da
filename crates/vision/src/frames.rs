//! Frames of a video, for models that take pictures only: `ffmpeg` takes them out, where it is installed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use models::Provider;

use crate::child::{Ended, Run, RunError};
use crate::sys::{self, Kept};

/// How many frames there are at most. More would cost tokens and show little more.
const FRAMES: u32 = 8;

/// The longest edge of a frame, in pixels.
const EDGE: u32 = 1024;

/// The most pixels a video may have: 8K is less.
const MOST_PIXELS: &str = "36000000";

/// The most bytes of a frame. One that cannot be compressed has fewer.
const MOST_FRAME: usize = 8 << 20;

/// The longest time for all of them.
const TIME: Duration = Duration::from_secs(60);

/// A picture out of a video.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// When it is shown.
    pub(crate) at: Duration,
    /// A JPEG.
    pub(crate) bytes: Bytes,
}

/// Pictures out of a video, in order.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) all: Vec<Frame>,
    /// How long the video is, if it says so.
    length: Option<Duration>,
}

/// Why there are no frames.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FramesError {
    /// There is no `ffmpeg`.
    #[error(
        "{0} takes no videos but pictures, and `ffmpeg`, which takes them out of a video, is not installed; install it, or use \
         `provider`: `zai` or `gemini`"
    )]
    NoFfmpeg(Provider),
    /// It did not end by itself.
    #[error("`ffmpeg` did not take pictures out of the video: {0}; cut the video, or make it smaller")]
    Run(#[from] RunError),
    /// The video cannot be handed over.
    #[error("the video cannot be kept for `ffmpeg`: {0}; make room in the folder for temporary files")]
    Keep(#[source] io::Error),
    /// There is nothing to see.
    #[error("`ffmpeg` finds no pictures in the video; save it again, or choose another file")]
    Nothing,
}

/// Finds `ffmpeg` in the folders of `PATH`. A relative folder would mean another program in every working directory.
pub(crate) fn find_ffmpeg(path: Option<&OsStr>) -> Option<PathBuf> {
    let folders = std::env::split_paths(path?).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(sys::FFMPEG)).find(|program| sys::is_executable(program))
}

/// Takes frames out of a video of the MP4 family, evenly spaced.
pub(crate) async fn take(ffmpeg: &Path, video: &Bytes) -> Result<Frames, FramesError> {
    let until = Instant::now() + TIME;
    let file = keep(video.clone()).await?;
    let length = length(&run(ffmpeg, &file, &[], &[], until).await?.complaints);
    let step = length.map_or(Duration::from_secs(1), |length| length / FRAMES);
    let mut all: Vec<Frame> = Vec::new();
    for number in 0..FRAMES {
        let at = step * number;
        let bytes = Bytes::from(frame(ffmpeg, &file, at, until).await?);
        // Behind the last frame there is none, and a short video shows one for a while.
        if !bytes.is_empty() && all.last().is_none_or(|last| last.bytes != bytes) {
            all.push(Frame { at, bytes });
        }
    }
    if all.is_empty() { Err(FramesError::Nothing) } else { Ok(Frames { all, length }) }
}

async fn keep(video: Bytes) -> Result<Kept, FramesError> {
    let kept = tokio::task::spawn_blocking(move || Kept::new(&video)).await;
    kept.map_err(io::Error::other).and_then(|file| file).map_err(FramesError::Keep)
}

async fn frame(ffmpeg: &Path, file: &Kept, at: Duration, until: Instant) -> Result<Vec<u8>, FramesError> {
    let seek = format!("{:.3}", at.as_secs_f64());
    let scale = format!("scale=w='min({EDGE},iw)':h='min({EDGE},ih)':force_original_aspect_ratio=decrease");
    let first = ["-ss", &seek];
    let picture = ["-map", "0:v:0", "-frames:v", "1", "-vf", &scale, "-c:v", "mjpeg", "-q:v", "3"];
    let out = ["-pix_fmt", "yuvj420p", "-map_metadata", "-1", "-f", "image2pipe", "pipe:1"];
    // What cannot be decoded says so by giving nothing.
    Ok(run(ffmpeg, file, &first, &[&picture[..], &out].concat(), until).await?.output)
}

/// Runs `ffmpeg` on the file as a video of the MP4 family and nothing else: there are formats that name other files and
/// addresses, and it would follow them.
async fn run(
    ffmpeg: &Path,
    file: &Kept,
    before: &[&str],
    after: &[&str],
    until: Instant,
) -> Result<Ended, FramesError> {
    let always = ["-hide_banner", "-nostdin", "-protocol_whitelist", "file,pipe", "-threads", "1"];
    let input = ["-max_pixels", MOST_PIXELS, "-f", "mov", "-i"];
    let arguments = always.iter().chain(before).chain(&input).map(OsString::from).chain([file.name()]);
    let run = Run {
        program: ffmpeg,
        arguments: arguments.chain(after.iter().map(OsString::from)).collect(),
        input: file.input().map_err(FramesError::Keep)?,
        output: MOST_FRAME,
        time: until.saturating_duration_since(Instant::now()),
    };
    Ok(run.finish().await?)
}

/// The length, from what `ffmpeg` says about a file: `Duration: 00:01:02.34, start: …`.
fn length(said: &[u8]) -> Option<Duration> {
    let said = String::from_utf8_lossy(said);
    let (_, rest) = said.split_once("Duration: ")?;
    let mut parts = rest.split(',').next()?.split(':');
    let mut next = || parts.next()?.trim().parse::<f64>().ok();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    Duration::try_from_secs_f64(hours * 3600.0 + minutes * 60.0 + seconds)
        .ok()
        .filter(|length| !length.is_zero())
}

impl Frames {
    /// What a model has to be told about them.
    pub(crate) fn told(&self) -> String {
        let times: Vec<String> = self.all.iter().map(|frame| seconds(frame.at)).collect();
        let video =
            self.length.map_or("a video".to_owned(), |length| format!("a video of {}", seconds(length)));
        format!(
            "The images are frames of {video}, in order, taken at {}. What happens between them and what is to be heard is not \
             there.",
            times.join(", ")
        )
    }
}

/// A time for people and models.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::time::Duration;

    use bytes::Bytes;

    use super::{Frame, Frames, find_ffmpeg, length};

    #[test]
    fn the_length_is_read_from_what_is_said_of_a_file() {
        let said = b"Input #0, mov, from 'x':\n  Duration: 01:02:03.50, start: 0.000000, bitrate: 9 kb/s\n";
        assert_eq!(length(said), Some(Duration::from_millis(3_723_500)));
        for nothing in
            [&b"Duration: N/A, bitrate: N/A"[..], b"Duration: 00:00:00.00, x", b"", b"Duration: -1:0:0"]
        {
            assert_eq!(length(nothing), None);
        }
    }

    #[test]
    fn a_model_is_told_when_each_frame_was() {
        let frame = |at| Frame { at: Duration::from_millis(at), bytes: Bytes::new() };
        let told = Frames { all: vec![frame(0), frame(1250)], length: Some(Duration::from_secs(10)) }.told();
        assert!(
            told.starts_with("The images are frames of a video of 10.0 s, in order, taken at 0.0 s, 1.2 s.")
        );
    }

    #[test]
    fn a_relative_folder_is_not_looked_into() {
        assert_eq!(find_ffmpeg(None), None);
        assert_eq!(find_ffmpeg(Some(OsStr::new(".::bin:/nothing/here"))), None);
    }
}
