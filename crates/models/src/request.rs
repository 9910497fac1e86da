//! What is asked, in nobody's words.

use std::fmt;

use bytes::Bytes;
use serde::{Serialize, Serializer};

/// A question about pictures or a video.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// How to go about it.
    pub system: Option<String>,
    /// What is shown and said, in this order.
    pub parts: Vec<Part>,
    /// Another model than the one that is set.
    pub model: Option<String>,
    /// The longest answer, in tokens, if not the one that is set.
    pub max_tokens: Option<u32>,
}

/// A piece of what is shown and said.
#[derive(Debug, Clone)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Picture(Media),
    /// A video; only some providers take one, see [`crate::Intake`].
    Video(Media),
}

/// A file and what it is.
#[derive(Clone)]
pub struct Media {
    /// Its media type.
    pub mime: &'static str,
    /// The file.
    pub bytes: Bytes,
}

impl fmt::Debug for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Media({}, {} bytes)", self.mime, self.bytes.len())
    }
}

impl Request {
    /// Bytes of all files.
    pub fn media_bytes(&self) -> usize {
        let bytes = |part: &Part| match part {
            Part::Text(_) => 0,
            Part::Picture(media) | Part::Video(media) => media.bytes.len(),
        };
        self.parts.iter().map(bytes).sum()
    }

    pub(crate) fn has_video(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Video(_)))
    }
}

/// A file as base64, encoded straight into the body: the file and the body are the only copies.
pub(crate) struct Base64<'a>(pub(crate) &'a Media);

/// A file as a `data:` URL.
pub(crate) struct DataUrl<'a>(pub(crate) &'a Media);

impl fmt::Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [0; 4096];
        // A multiple of three, so that only the last piece has padding.
        for piece in self.0.bytes.chunks(3072) {
            let encoded = base64_simd::STANDARD.encode(piece, base64_simd::Out::from_slice(&mut buffer));
            f.write_str(std::str::from_utf8(encoded).map_err(|_| fmt::Error)?)?;
        }
        Ok(())
    }
}

impl fmt::Display for DataUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data:{};base64,{}", self.0.mime, Base64(self.0))
    }
}

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for DataUrl<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Base64, DataUrl, Media};

    #[test]
    fn files_of_every_length_are_encoded_as_one() {
        for length in [0, 1, 2, 3, 3071, 3072, 3073, 6144, 10_000] {
            let bytes: Vec<u8> = (0..=255).cycle().take(length).collect();
            let media = Media { mime: "image/png", bytes: Bytes::from(bytes.clone()) };
            let whole = base64_simd::STANDARD.encode_to_string(&bytes);
            assert_eq!(Base64(&media).to_string(), whole, "{length}");
            let json = serde_json::to_string(&DataUrl(&media)).expect("JSON");
            assert_eq!(json, format!("\"data:image/png;base64,{whole}\""));
        }
    }
}
