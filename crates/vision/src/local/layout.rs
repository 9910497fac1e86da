//! How a picture is laid out, as far as pixels tell: bands of content with empty space between them.

use std::fmt;

use picture::Picture;
use serde::Serialize;

/// Bands and columns are found on a picture of this edge.
const EDGE: u32 = 1024;

/// Neighbours that differ by more than this are an edge.
const STEP: u8 = 24;

/// What can be said about the layout.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layout {
    /// Bands of content from top to bottom: first row and height, in pixels of the picture.
    pub bands: Vec<[u32; 2]>,
    /// Percent of neighbouring pixels that differ: flat drawings have few, photographs many.
    pub edge_percent: u32,
}

/// Measures an opaque picture.
pub fn measure(picture: &Picture) -> Layout {
    let small = picture.clone().on([u8::MAX; 3]).within(EDGE);
    let mut edges = 0_u64;
    let mut busy = Vec::with_capacity(small.height() as usize);
    let mut above: Option<&[u8]> = None;
    for row in small.rows() {
        let beside =
            row.chunks_exact(3).zip(row.chunks_exact(3).skip(1)).filter(|(a, b)| differ(a, b)).count();
        let below = above.map_or(0, |above| {
            above.chunks_exact(3).zip(row.chunks_exact(3)).filter(|(a, b)| differ(a, b)).count()
        });
        edges += beside as u64 + below as u64;
        busy.push(beside > 0);
        above = Some(row);
    }
    let pairs = u64::from(small.width()) * u64::from(small.height()) * 2;
    let scale = |row: usize| {
        let row = row as u64 * u64::from(picture.height()) / u64::from(small.height());
        u32::try_from(row).unwrap_or(u32::MAX)
    };
    let bands = bands(&busy).into_iter().map(|(from, to)| [scale(from), scale(to) - scale(from)]).collect();
    Layout { bands, edge_percent: u32::try_from(edges * 100 / pairs.max(1)).unwrap_or(100) }
}

fn differ(a: &[u8], b: &[u8]) -> bool {
    a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > STEP)
}

/// Runs of busy rows; a gap as high as a line of small text parts them.
fn bands(busy: &[bool]) -> Vec<(usize, usize)> {
    const GAP: usize = 6;
    const MOST: usize = 40;
    let mut bands: Vec<(usize, usize)> = Vec::new();
    for (row, _) in busy.iter().enumerate().filter(|(_, busy)| **busy) {
        match bands.last_mut() {
            Some((_, end)) if row < *end + GAP => *end = row + 1,
            _ => bands.push((row, row + 1)),
        }
    }
    bands.truncate(MOST);
    bands
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.edge_percent {
            0..=2 => "mostly flat areas",
            3..=15 => "areas with drawing or text",
            _ => "fine detail everywhere, like a photograph",
        };
        let bands = super::counted(self.bands.len(), "band");
        write!(f, "Texture: {kind}. {bands} of content from top to bottom")?;
        let told: Vec<String> =
            self.bands.iter().take(12).map(|[y, height]| format!("{y} to {}", y + height)).collect();
        if told.is_empty() { f.write_str(".") } else { write!(f, ", at rows {}.", told.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use picture::{Layout as Pixels, Picture};

    use super::measure;

    #[test]
    fn bands_of_content_are_found_where_they_are() {
        let mut bytes = vec![255; 100 * 100 * 3];
        for y in (10..20).chain(50..70) {
            for x in (20..80).step_by(2) {
                bytes[(y * 100 + x) * 3..][..3].fill(0);
            }
        }
        let picture = Picture::new(Pixels::Rgb, 100, 100, bytes).expect("a picture");
        let layout = measure(&picture);
        assert_eq!(layout.bands, [[10, 10], [50, 20]]);
        assert!(layout.to_string().contains("2 bands"), "{layout}");
    }

    #[test]
    fn an_empty_picture_has_none() {
        let picture = Picture::new(Pixels::Rgb, 50, 50, vec![9; 7500]).expect("a picture");
        assert_eq!((measure(&picture).bands.len(), measure(&picture).edge_percent), (0, 0));
    }
}
