//! Styles, scripts and pictures that are part of a program. Their address holds a hash of all of them, so browsers may keep them
//! for ever.

use std::sync::OnceLock;

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

/// A file that is part of a program.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// What it is called.
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

impl Asset {
    /// A style sheet.
    pub const fn css(name: &'static str, bytes: &'static [u8]) -> Asset {
        Asset { name, kind: "text/css; charset=utf-8", bytes }
    }

    /// A script.
    pub const fn js(name: &'static str, bytes: &'static [u8]) -> Asset {
        Asset { name, kind: "text/javascript; charset=utf-8", bytes }
    }

    /// A drawing.
    pub const fn svg(name: &'static str, bytes: &'static [u8]) -> Asset {
        Asset { name, kind: "image/svg+xml", bytes }
    }

    /// A picture.
    pub const fn png(name: &'static str, bytes: &'static [u8]) -> Asset {
        Asset { name, kind: "image/png", bytes }
    }
}

/// All files of a program.
#[derive(Debug)]
pub struct Assets {
    all: &'static [Asset],
    version: OnceLock<String>,
}

impl Assets {
    /// These.
    pub const fn new(all: &'static [Asset]) -> Assets {
        Assets { all, version: OnceLock::new() }
    }

    /// A hash of all of them.
    pub fn version(&self) -> &str {
        self.version.get_or_init(|| {
            use std::fmt::Write as _;

            let mut hash = Sha256::new();
            for asset in self.all {
                hash.update(asset.name);
                hash.update(asset.bytes);
            }
            let mut text = String::new();
            for byte in &hash.finalize()[..6] {
                // A string takes everything.
                let _ = write!(text, "{byte:02x}");
            }
            text
        })
    }

    /// What they are called.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|asset| asset.name)
    }

    /// One of them, asked for at an address with this version.
    pub fn serve(&self, version: &str, name: &str) -> Response {
        let Some(asset) = self.all.iter().find(|asset| asset.name == name) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let mut response = asset.bytes.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let is_current = version == self.version();
        let cache = if is_current { "public, max-age=31536000, immutable" } else { "no-cache" };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        response
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use http::header::CACHE_CONTROL;

    use super::{Asset, Assets};

    #[test]
    fn only_the_current_version_is_kept_for_ever() {
        static ASSETS: Assets = Assets::new(&[Asset::css("a.css", b"a {}")]);
        let kept = |version: &str| {
            let response = ASSETS.serve(version, "a.css");
            response.headers()[CACHE_CONTROL].to_str().expect("text").contains("immutable")
        };
        assert_eq!((kept(ASSETS.version()), kept("older")), (true, false));
        assert_eq!(ASSETS.serve(ASSETS.version(), "b.css").status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn another_text_is_another_version() {
        static ONE: Assets = Assets::new(&[Asset::js("a.js", b"1")]);
        static OTHER: Assets = Assets::new(&[Asset::js("a.js", b"2")]);
        assert_ne!(ONE.version(), OTHER.version());
    }
}
