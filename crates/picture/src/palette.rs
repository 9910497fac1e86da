//! The colours of a picture: k-means in a space where distance is what people see, the same for the same picture.

use std::fmt;

use crate::pixels::Picture;

/// How many colours are told at most.
const MOST: usize = 6;

/// How often the centres move; they hardly do after a few.
const ROUNDS: usize = 12;

/// Pixels are counted on a picture of this edge.
const EDGE: u32 = 160;

/// A colour and how much of the picture has it, or nearly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colour {
    /// `#rrggbb`.
    pub hex: String,
    /// Percent of the pixels, rounded.
    pub percent: u32,
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} %", self.hex, self.percent)
    }
}

/// The colours of an opaque picture, most frequent first.
pub fn palette(picture: &Picture) -> Vec<Colour> {
    let small = picture.clone().on([u8::MAX; 3]).within(EDGE);
    let pixels: Vec<[f32; 3]> =
        small.bytes().chunks_exact(3).map(|rgb| oklab([rgb[0], rgb[1], rgb[2]])).collect();
    let raw: Vec<[u8; 3]> = small.bytes().chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]).collect();
    let mut centres = seeds(&pixels);
    let mut nearest = vec![0; pixels.len()];
    for _ in 0..ROUNDS {
        for (place, pixel) in nearest.iter_mut().zip(&pixels) {
            *place = closest(&centres, pixel);
        }
        centres = means(&pixels, &nearest, &centres);
    }
    let mut groups: Vec<Vec<[u8; 3]>> = vec![Vec::new(); centres.len()];
    for (place, rgb) in nearest.iter().zip(&raw) {
        groups[*place].push(*rgb);
    }
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let total = raw.len().max(1);
    groups
        .iter()
        .map(|group| Colour { hex: hex(middle(group)), percent: percent(group.len(), total) })
        .filter(|colour| colour.percent > 0)
        .collect()
}

/// The first centre is the first pixel, each further one the pixel that is farthest from all before.
fn seeds(pixels: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let mut centres: Vec<[f32; 3]> = pixels.first().copied().into_iter().collect();
    while centres.len() < MOST {
        let far = pixels
            .iter()
            .map(|pixel| (distance(pixel, &centres[closest(&centres, pixel)]), pixel))
            .max_by(|(a, _), (b, _)| a.total_cmp(b));
        match far {
            // Nobody sees a difference smaller than this.
            Some((distance, pixel)) if distance > 0.0016 => centres.push(*pixel),
            _ => break,
        }
    }
    centres
}

fn means(pixels: &[[f32; 3]], nearest: &[usize], centres: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![([0.0_f32; 3], 0.0_f32); centres.len()];
    for (pixel, place) in pixels.iter().zip(nearest) {
        let (sum, count) = &mut sums[*place];
        for (sum, value) in sum.iter_mut().zip(pixel) {
            *sum += value;
        }
        *count += 1.0;
    }
    let mean = |((sum, count), old): (([f32; 3], f32), &[f32; 3])| {
        if count > 0.0 { sum.map(|value| value / count) } else { *old }
    };
    sums.into_iter().zip(centres).map(mean).collect()
}

fn closest(centres: &[[f32; 3]], pixel: &[f32; 3]) -> usize {
    let distances = centres.iter().map(|centre| distance(pixel, centre)).enumerate();
    distances.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(place, _)| place)
}

fn distance(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The colour most of a group has; a mean would be one that nobody chose.
fn middle(group: &[[u8; 3]]) -> [u8; 3] {
    let mut sorted = group.to_vec();
    sorted.sort_unstable();
    let mut best = (0, [0; 3]);
    for run in sorted.chunk_by(|a, b| a == b) {
        if run.len() > best.0 {
            best = (run.len(), run[0]);
        }
    }
    best.1
}

fn percent(part: usize, whole: usize) -> u32 {
    u32::try_from((part * 100 + whole / 2) / whole).unwrap_or(100)
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Oklab, in which equal distances look equally far.
fn oklab(rgb: [u8; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(|value| {
        let value = f32::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    let long = (0.412_221_47 * r + 0.536_332_54 * g + 0.051_445_995 * b).cbrt();
    let middle = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let short = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * long + 0.793_617_8 * middle - 0.004_072_047 * short,
        1.977_998_5 * long - 2.428_592_2 * middle + 0.450_593_7 * short,
        0.025_904_037 * long + 0.782_771_77 * middle - 0.808_675_77 * short,
    ]
}

#[cfg(test)]
mod tests {
    use crate::pixels::{Layout, Picture};

    use super::palette;

    fn striped(stripes: &[([u8; 3], usize)]) -> Picture {
        let row: Vec<u8> = stripes.iter().flat_map(|(colour, width)| colour.repeat(*width)).collect();
        let width = row.len() / 3;
        let size = u32::try_from(width).expect("small");
        Picture::new(Layout::Rgb, size, 50, row.repeat(50)).expect("a picture")
    }

    #[test]
    fn colours_are_told_by_their_share_and_always_alike() {
        let picture = striped(&[([255, 255, 255], 70), ([200, 16, 46], 20), ([0, 0, 0], 10)]);
        let found = palette(&picture);
        let told: Vec<(&str, u32)> =
            found.iter().map(|colour| (colour.hex.as_str(), colour.percent)).collect();
        assert_eq!(told, [("#ffffff", 70), ("#c8102e", 20), ("#000000", 10)]);
        assert_eq!(palette(&picture), found);
    }

    #[test]
    fn one_colour_is_one_colour() {
        let found = palette(&striped(&[([17, 34, 51], 100)]));
        assert_eq!((found.len(), found[0].hex.as_str(), found[0].percent), (1, "#112233", 100));
    }
}
