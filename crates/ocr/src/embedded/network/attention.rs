//! Every place looks at every other: what a place asks for is compared with what the others offer.

use rten_gemm::{GemmInputA, GemmInputB, GemmOptions};
use rten_simd::SimdOp;
use rten_tensor::NdTensorView;
use rten_vecmath::Softmax;

use super::fault::Fault;
use super::grid::{Grid, Scratch};
use crate::embedded::lengths::real;

/// Several such looks side by side, each at its share of the channels.
pub(super) struct Attention {
    pub(super) channels: usize,
    pub(super) heads: usize,
}

impl Attention {
    /// The input has queries, keys and values behind one another.
    pub(super) fn apply(&self, input: &Grid, scratch: &mut Scratch) -> Result<Grid, Fault> {
        let (places, size) = (input.places(), self.channels / self.heads);
        let mut output = scratch.grid(input.height, input.width, self.channels);
        let mut weights = scratch.grid(places, places, 1);
        let mut seen = scratch.grid(places, 1, size);
        for head in 0..self.heads {
            let part = |which: usize| {
                let start = which * self.channels + head * size;
                let strides = [input.channels, 1];
                let values = input.values.get(start..).unwrap_or_default();
                NdTensorView::from_data_with_strides([places, size], values, strides)
                    .map_err(|_| Fault::Sizes)
            };
            let (queries, keys, values) = (part(0)?, part(1)?, part(2)?);
            scratch.product.gemm(
                &mut weights.values,
                GemmInputA::Unpacked(queries),
                GemmInputB::Unpacked(keys.transposed()),
                GemmOptions { alpha: 1.0 / real(size).sqrt(), beta: 0.0, ..GemmOptions::default() },
            )?;
            for row in weights.values.chunks_exact_mut(places) {
                Softmax::new_mut(row).dispatch();
            }
            let weights = NdTensorView::from_data([places, places], weights.values.as_slice());
            scratch.product.gemm(
                &mut seen.values,
                GemmInputA::Unpacked(weights),
                GemmInputB::Unpacked(values),
                GemmOptions { beta: 0.0, ..GemmOptions::default() },
            )?;
            let targets = output.values.chunks_exact_mut(self.channels);
            for (target, seen) in targets.zip(seen.values.chunks_exact(size)) {
                target[head * size..][..size].copy_from_slice(seen);
            }
        }
        scratch.recycle(weights);
        scratch.recycle(seen);
        Ok(output)
    }
}

/// Brings the channels of each place to mean 0 and variance 1, then scales and shifts them.
pub(super) struct Normalisation {
    pub(super) factor: Vec<f32>,
    pub(super) shift: Vec<f32>,
    pub(super) epsilon: f32,
}

impl Normalisation {
    pub(super) fn apply(&self, input: &Grid, scratch: &mut Scratch) -> Grid {
        let mut output = scratch.grid(input.height, input.width, input.channels);
        let share = 1.0 / real(input.channels);
        let places = input.values.chunks_exact(input.channels);
        for (place, target) in places.zip(output.values.chunks_exact_mut(input.channels)) {
            let mean = place.iter().sum::<f32>() * share;
            let variance = place.iter().map(|value| (value - mean).powi(2)).sum::<f32>() * share;
            let scale = 1.0 / (variance + self.epsilon).sqrt();
            for (((target, value), factor), shift) in
                target.iter_mut().zip(place).zip(&self.factor).zip(&self.shift)
            {
                *target = (value - mean) * scale * factor + shift;
            }
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_sees_mostly_the_value_whose_key_fits_its_query() {
        // Two places of one channel: query, key, value.
        let input = Grid { height: 1, width: 2, channels: 3, values: vec![20.0, 1.0, 5.0, -20.0, -1.0, 7.0] };
        let output = Attention { channels: 1, heads: 1 }.apply(&input, &mut Scratch::default()).unwrap();
        assert_eq!((output.width, output.channels), (2, 1));
        assert!((output.values[0] - 5.0).abs() < 1e-3 && (output.values[1] - 7.0).abs() < 1e-3, "{output:?}");
    }

    #[test]
    fn channels_are_brought_to_mean_and_variance() {
        let normalisation = Normalisation { factor: vec![1.0, 2.0], shift: vec![0.0, 1.0], epsilon: 0.0 };
        let input = Grid { height: 1, width: 1, channels: 2, values: vec![3.0, 7.0] };
        assert_eq!(normalisation.apply(&input, &mut Scratch::default()).values, [-1.0, 3.0]);
    }
}
