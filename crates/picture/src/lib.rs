//! Pictures as pixels: read from bytes nobody vouches for, turned upright, cut, scaled, and written as PNG or JPEG.
//!
//! ```text
//! bytes ─ inspect ─ decode ─ Picture ─ crop, within ─┬─ encode_png, encode_jpeg
//!         header    bounded  pixels                  └─ encode_within: whatever fits
//! ```
//!
//! [`decode`] looks at the header before it reserves memory: a small file that claims to be a huge picture is refused by
//! its claim. Nothing of a file but its pixels comes through, so what is written has no place, time or owner in it.

mod decode;
mod diff;
mod encode;
mod fit;
mod kind;
mod opaque;
mod orientation;
mod palette;
mod pixels;
mod scale;
mod strip;

pub use decode::{DecodeError, Facts, Limits, decode, inspect};
pub use diff::{Difference, Region, compare};
pub use encode::{Effort, EncodeError, Encoded, encode_jpeg, encode_png, encode_webp};
pub use fit::{Budget, encode_png_within, encode_within};
pub use geometry::Rect;
pub use kind::Kind;
pub use opaque::{Pixels, Rgb};
pub use orientation::Orientation;
pub use palette::{Colour, palette};
pub use pixels::{Layout, Picture, RegionError, SizeError};
pub use strip::without_metadata;
