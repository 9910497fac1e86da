//! A part of a picture at another size, as the grid of floats a network takes.

use super::lengths::{pixels, real, whole};
use super::network::Grid;
use crate::Image;

/// What part of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// How bytes become floats: `byte * factor + offset`, for blue, green and red, the order the networks were trained in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    pub(super) factor: [f32; 3],
    pub(super) offset: [f32; 3],
}

impl Levels {
    /// From -1 to 1.
    pub(super) const SYMMETRIC: Self = Self { factor: [1.0 / 127.5; 3], offset: [-1.0; 3] };

    /// By mean and deviation of each colour, as given for red, green, blue and used for blue, green, red.
    pub(super) const IMAGENET: Self = Self {
        factor: [1.0 / (255.0 * 0.229), 1.0 / (255.0 * 0.224), 1.0 / (255.0 * 0.225)],
        offset: [-0.485 / 0.229, -0.456 / 0.224, -0.406 / 0.225],
    };
}

/// The taps of one output position: a run of source positions and their weights.
struct Taps {
    first: usize,
    weights: Vec<f32>,
}

/// A triangle filter, widened when it shrinks so that thin strokes do not vanish between samples.
fn taps(start: f32, length: f32, out: usize, limit: usize) -> Vec<Taps> {
    let step = length / real(out);
    let reach = step.max(1.0);
    let last = real(limit) - 1.0;
    (0..out)
        .map(|index| {
            let centre = start + (real(index) + 0.5) * step - 0.5;
            let first = whole((centre - reach).ceil().clamp(0.0, last));
            let end = whole((centre + reach).floor().clamp(0.0, last));
            let mut weights: Vec<f32> =
                (first..=end).map(|at| (1.0 - (real(at) - centre).abs() / reach).max(0.0)).collect();
            let sum: f32 = weights.iter().sum();
            if sum > 0.0 {
                for weight in &mut weights {
                    *weight /= sum;
                }
            } else {
                // The centre lies outside the picture: its edge goes on.
                let edge = if centre > 0.0 { weights.len() - 1 } else { 0 };
                weights[edge] = 1.0;
            }
            Taps { first, weights }
        })
        .collect()
}

/// The part at the new size: blue, green and red of each pixel. The picture must not be empty.
pub(super) fn resample(image: Image<'_>, part: Part, width: usize, height: usize, levels: Levels) -> Grid {
    let across = taps(part.x, part.width, width, image.width() as usize);
    let down = taps(part.y, part.height, height, image.height() as usize);
    let top = down.first().map_or(0, |taps| taps.first);
    let bottom = down.last().map_or(0, |taps| taps.first + taps.weights.len());
    let rows: Vec<Vec<f32>> = (top..bottom).map(|y| squeeze_row(image, y, &across)).collect();
    let mut values = vec![0.0; 3 * width * height];
    for (target, taps) in values.chunks_exact_mut(3 * width).zip(&down) {
        for (row, weight) in rows[taps.first - top..].iter().zip(&taps.weights) {
            for (target, source) in target.iter_mut().zip(row) {
                *target += source * weight;
            }
        }
        for pixel in target.as_chunks_mut::<3>().0 {
            for ((value, factor), offset) in pixel.iter_mut().zip(levels.factor).zip(levels.offset) {
                *value = *value * factor + offset;
            }
        }
    }
    Grid { height, width, channels: 3, values }
}

/// One row of the picture at the new width: blue, green and red of each pixel.
fn squeeze_row(image: Image<'_>, y: usize, across: &[Taps]) -> Vec<f32> {
    let channels = image.channels();
    let bytes = image.row(pixels(y), 0, image.width());
    let mut row = vec![0.0; 3 * across.len()];
    for (pixel, taps) in row.as_chunks_mut::<3>().0.iter_mut().zip(across) {
        let around = bytes[taps.first * channels..].chunks_exact(channels);
        let mut sums = [0.0; 3];
        for (pixel, weight) in around.zip(&taps.weights) {
            for (sum, byte) in sums.iter_mut().zip(pixel) {
                *sum += f32::from(*byte) * weight;
            }
        }
        let [red, green, blue] = sums;
        *pixel = [blue, green, red];
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: Levels = Levels { factor: [1.0; 3], offset: [0.0; 3] };

    fn all(image: Image<'_>) -> Part {
        let [width, height] = [image.width(), image.height()].map(|side| real(side as usize));
        Part { x: 0.0, y: 0.0, width, height }
    }

    #[test]
    fn the_same_size_is_the_same_picture_with_blue_first() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let image = Image::rgb(2, 2, &bytes).unwrap();
        let grid = resample(image, all(image), 2, 2, BYTES);
        assert_eq!(grid.values, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0, 9.0, 8.0, 7.0, 12.0, 11.0, 10.0]);
    }

    #[test]
    fn shrinking_keeps_the_mean() {
        let bytes: Vec<u8> = (0..64_u8).flat_map(|x| [if x % 4 == 0 { 200 } else { 0 }; 3]).collect();
        let image = Image::rgb(64, 1, &bytes).unwrap();
        let grid = resample(image, all(image), 8, 1, BYTES);
        for value in &grid.values[3..21] {
            assert!((value - 50.0).abs() < 1.0, "{grid:?}");
        }
    }

    #[test]
    fn beyond_the_edge_the_edge_goes_on() {
        let image = Image::rgb(1, 1, &[10, 20, 30]).unwrap();
        let part = Part { x: -5.0, y: -5.0, width: 11.0, height: 11.0 };
        let grid = resample(image, part, 4, 4, BYTES);
        assert_eq!(grid.values, [30.0, 20.0, 10.0].repeat(16));
    }
}
