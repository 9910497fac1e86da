//! A tool's answer for a person at a terminal.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::client::{self, Block, Resource};

use super::error::Error;

/// What becomes of pictures and sound.
#[derive(Clone, Copy)]
pub(super) enum Media<'a> {
    /// A line says what there is.
    Described,
    /// Each becomes a file.
    SavedTo {
        folder: &'a Path,
        /// What the files are called, before their number.
        stem: &'a str,
    },
}

/// The blocks as text, one after the other.
pub(super) fn shown(blocks: &[Block], media: Media<'_>) -> Result<String, Error> {
    let lines: Result<Vec<String>, Error> = blocks.iter().map(|block| show(block, media)).collect();
    Ok(lines?.join("\n"))
}

fn show(block: &Block, media: Media<'_>) -> Result<String, Error> {
    match block {
        Block::Text { text } => Ok(text.clone()),
        Block::Image { data, mime_type } | Block::Audio { data, mime_type } => keep(data, mime_type, media),
        Block::ResourceLink { uri, name } => Ok(format!("{name}: {uri}")),
        Block::Resource { resource: Resource { uri, mime_type, text, blob } } => match (text, blob) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(blob)) => {
                let kept = keep(blob, mime_type.as_deref().unwrap_or("application/octet-stream"), media)?;
                Ok(format!("{uri}: {kept}"))
            }
            (None, None) => Ok(format!("{uri}: empty")),
        },
    }
}

fn keep(base64: &str, mime: &str, media: Media<'_>) -> Result<String, Error> {
    let bytes = base64_simd::STANDARD
        .decode_to_vec(base64)
        .map_err(|error| client::Error::Unreadable(serde::de::Error::custom(error)))?;
    let described = format!("{mime}, {} bytes", bytes.len());
    match media {
        Media::Described => Ok(format!("[{described}; save it with `--out DIR`]")),
        Media::SavedTo { folder, stem } => {
            let path = save(&bytes, folder, stem, extension(mime))
                .map_err(|(path, source)| Error::Save { path, source })?;
            Ok(format!("[{described}, saved to {}]", path.display()))
        }
    }
}

/// Saves under the first number that is free: what is there stays.
fn save(bytes: &[u8], folder: &Path, stem: &str, extension: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
    fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
    let mut number = 1_u32;
    loop {
        let path = folder.join(format!("{stem}-{number}.{extension}"));
        match File::create_new(&path).and_then(|mut file| file.write_all(bytes)) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err((path, error)),
        }
    }
}

fn extension(mime: &str) -> &'static str {
    match mime.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/webp" => "webp",
        "image/gif" => "gif",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "video/mp4" => "mp4",
        "application/pdf" => "pdf",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::{Media, shown};
    use crate::client::{Answer, Block};

    fn blocks() -> Vec<Block> {
        let answer: Answer = serde_json::from_str(
            r#"{"content": [
                {"type": "text", "text": "A dot"},
                {"type": "image", "data": "AAEC", "mimeType": "image/png"},
                {"type": "resource_link", "uri": "dots://1", "name": "Dot 1"},
                {"type": "resource", "resource": {"uri": "dots://1", "text": "dot"}},
                {"type": "resource", "resource": {"uri": "dots://2", "blob": "AA=="}}
            ]}"#,
        )
        .expect("a result");
        answer.content
    }

    #[test]
    fn media_are_described() {
        assert_eq!(
            shown(&blocks(), Media::Described).expect("text"),
            "A dot\n[image/png, 3 bytes; save it with `--out DIR`]\nDot 1: dots://1\ndot\n\
             dots://2: [application/octet-stream, 1 bytes; save it with `--out DIR`]"
        );
    }

    #[test]
    fn media_are_saved_and_nothing_is_overwritten() {
        let folder = std::env::temp_dir().join(format!("deskmate-media-{}", std::process::id()));
        let media = Media::SavedTo { folder: &folder, stem: "dot" };
        shown(&blocks(), media).expect("saved");
        let text = shown(&blocks(), media).expect("saved again");
        assert!(
            text.contains(&format!("[image/png, 3 bytes, saved to {}", folder.join("dot-2.png").display()))
        );
        assert_eq!(std::fs::read(folder.join("dot-1.png")).expect("the picture"), [0, 1, 2]);
        assert!(folder.join("dot-2.bin").exists());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
