//! What of a screenshot goes into an answer: a PNG that clients can take.

use bytes::Bytes;
use picture::{Budget, encode_png_within};

use crate::error::Error;
use crate::screenshot::Screenshot;

/// Longer edges are scaled down by models anyway, and some refuse them.
const LONG_EDGE: u32 = 2_000;

/// Some clients drop answers over a megabyte, and a picture grows by a third on its way.
const MOST_BYTES: usize = 720_000;

/// How large a picture is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Size {
    /// As large as clients take.
    #[default]
    Fitting,
    /// As it is, whatever becomes of it.
    Full,
    /// No longer than this, and as clients take it.
    Edge(u32),
}

impl Size {
    /// As people say it: `0` is full size.
    pub fn from_max_edge(max_edge: Option<u32>) -> Size {
        match max_edge {
            None => Size::Fitting,
            Some(0) => Size::Full,
            Some(edge) => Size::Edge(edge),
        }
    }
}

/// A picture for an answer.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The file.
    pub png: Bytes,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// Its width divided by that of the screenshot.
    pub scale: f64,
}

/// Makes the picture.
pub fn show(screenshot: &Screenshot, size: Size) -> Result<Shown, Error> {
    let (width, height) = screenshot.size();
    let long = width.max(height);
    let edge = match size {
        Size::Full => return Ok(Shown { png: screenshot.png()?, width, height, scale: 1.0 }),
        Size::Fitting => LONG_EDGE,
        Size::Edge(edge) => edge,
    };
    // Taken first: once there is a file, pixels have to be read from it.
    let at_hand = if screenshot.has_png() { None } else { Some(screenshot.pixels()?) };
    let mut whole = None;
    if long <= edge {
        let png = screenshot.png()?;
        if png.len() <= MOST_BYTES {
            return Ok(Shown { png, width, height, scale: 1.0 });
        }
        whole = Some(png.len());
    }
    let pixels = at_hand.map_or_else(|| screenshot.pixels(), Ok)?;
    let shown = encode_png_within(pixels.picture(), Budget { bytes: MOST_BYTES, edge }, whole)?;
    let scale = f64::from(shown.width) / f64::from(width);
    Ok(Shown { png: shown.bytes.into(), width: shown.width, height: shown.height, scale })
}

#[cfg(test)]
mod tests {
    use picture::Pixels;

    use super::{MOST_BYTES, Size, show};
    use crate::capture::Shot;
    use crate::screenshot::{Mode, Screenshot};

    fn screenshot(pixels: Pixels) -> Screenshot {
        Screenshot::captured(Mode::Fullscreen, Shot::of(pixels))
    }

    fn noise(width: u32, height: u32) -> Pixels {
        let mut state = 1_u32;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state.to_le_bytes()[1]
        };
        let bytes = (0..width * height * 3).map(|_| next()).collect();
        Pixels::new(width, height, bytes).expect("pixels")
    }

    #[test]
    fn a_small_picture_stays_as_it_is_and_a_wide_one_is_scaled() {
        let shown = show(&screenshot(Pixels::plain(1_920, 10, [9; 3])), Size::Fitting).expect("shown");
        assert_eq!((shown.width, shown.height, shown.scale), (1_920, 10, 1.0));
        let wide = screenshot(Pixels::plain(4_000, 20, [9; 3]));
        let shown = show(&wide, Size::Fitting).expect("shown");
        assert_eq!((shown.width, shown.height, shown.scale), (2_000, 10, 0.5));
        assert_eq!(show(&wide, Size::Full).expect("shown").width, 4_000);
        assert_eq!(show(&wide, Size::from_max_edge(Some(100))).expect("shown").width, 100);
        assert_eq!(Size::from_max_edge(Some(0)), Size::Full);
    }

    #[test]
    fn what_cannot_be_compressed_is_made_smaller_until_it_fits() {
        let shown = show(&screenshot(noise(900, 700)), Size::Fitting).expect("shown");
        assert!(shown.png.len() <= MOST_BYTES && shown.width < 900, "{} {}", shown.png.len(), shown.width);
    }
}
