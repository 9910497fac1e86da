//! The convolution of each channel by itself: little arithmetic, so all of it is about loads.

#![expect(
    clippy::inline_always,
    reason = "the loops must be compiled for the instructions they are dispatched to"
)]

use std::array;
use std::ops::Range;

use rten_simd::ops::{BitOps, NumOps};
use rten_simd::{Isa, Simd, SimdOp};

use super::activation::{Activation, add_and_activate};
use super::fault::Fault;
use super::grid::{Grid, Scratch};
use super::window::Window;

/// A row of weights for each place of the window.
pub(super) struct Depthwise {
    pub(super) window: Window,
    pub(super) weights: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) activation: Activation,
}

impl Depthwise {
    pub(super) fn apply(&self, input: &Grid, scratch: &mut Scratch) -> Result<Grid, Fault> {
        let (height, width) = self.window.size(input).ok_or(Fault::Small)?;
        let mut output = scratch.grid(height, width, input.channels);
        for y in 0..height {
            let row = output.row_mut(y);
            let (rows, top) = self.window.rows(y, input);
            Row { layer: self, input, rows, top, output: row }.dispatch();
            add_and_activate(row, &self.bias, self.activation);
        }
        Ok(output)
    }
}

/// One row of the result.
struct Row<'a> {
    layer: &'a Depthwise,
    input: &'a Grid,
    /// The rows of the window that lie on the grid, and on which the first of them does.
    rows: Range<usize>,
    top: usize,
    output: &'a mut [f32],
}

/// Places that share their loads.
const TOGETHER: usize = 4;

impl SimdOp for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let lanes = isa.f32().len();
        let Window { width: three, across: one, left, .. } = self.layer.window;
        let places = self.output.len() / self.input.channels;
        let mut x = 0;
        while x < places {
            // From here on four windows lie on the grid as a whole.
            let is_inside = x >= left && x - left + TOGETHER + three - 1 <= self.input.width;
            if (three, one) == (3, 1)
                && is_inside
                && x + TOGETHER <= places
                && self.input.channels.is_multiple_of(lanes)
            {
                self.four_places(isa, x);
                x += TOGETHER;
            } else {
                self.place(isa, x);
                x += 1;
            }
        }
    }
}

impl Row<'_> {
    /// Four places side by side, under windows three wide that go on by one.
    #[inline(always)]
    fn four_places<I: Isa>(&mut self, isa: I, x: usize) {
        let ops = isa.f32();
        let channels = self.input.channels;
        for from in (0..channels).step_by(ops.len()) {
            let mut sums = [ops.zero(); TOGETHER];
            for row in self.rows.clone() {
                let values = &self.input.row(self.top + row - self.rows.start)
                    [(x - self.layer.window.left) * channels..];
                let values = &values[..(TOGETHER + 2) * channels];
                let weights = &self.layer.weights[row * 3 * channels..][..3 * channels];
                let values: [I::F32; TOGETHER + 2] = array::from_fn(
                    #[inline(always)]
                    |at| ops.load(&values[at * channels + from..]),
                );
                let weights: [I::F32; 3] = array::from_fn(
                    #[inline(always)]
                    |at| ops.load(&weights[at * channels + from..]),
                );
                for (at, sum) in sums.iter_mut().enumerate() {
                    for (column, weight) in weights.iter().enumerate() {
                        *sum = ops.mul_add(values[at + column], *weight, *sum);
                    }
                }
            }
            for (at, sum) in sums.into_iter().enumerate() {
                ops.store(sum, &mut self.output[(x + at) * channels + from..]);
            }
        }
    }

    /// One place under any window.
    #[inline(always)]
    fn place<I: Isa>(&mut self, isa: I, x: usize) {
        let ops = isa.f32();
        let channels = self.input.channels;
        let window = &self.layer.window;
        let (columns, left) = window.columns(x, self.input);
        for from in (0..channels).step_by(ops.len()) {
            let lanes = ops.len().min(channels - from);
            let mut sum = ops.zero();
            for row in self.rows.clone() {
                let values = &self.input.row(self.top + row - self.rows.start)[left * channels..];
                let weights = &self.layer.weights[(row * window.width + columns.start) * channels..];
                for at in 0..columns.len() {
                    let part = at * channels + from..at * channels + from + lanes;
                    let (value, weight) = (&values[part.clone()], &weights[part]);
                    sum = if lanes == ops.len() {
                        ops.mul_add(ops.load(value), ops.load(weight), sum)
                    } else {
                        ops.mul_add(ops.load_pad(value).0, ops.load_pad(weight).0, sum)
                    };
                }
            }
            let target = &mut self.output[x * channels + from..][..lanes];
            if lanes == ops.len() {
                ops.store(sum, target);
            } else {
                target.copy_from_slice(&sum.to_array().as_ref()[..lanes]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain sum, for one value of the result.
    fn expected(layer: &Depthwise, input: &Grid, (y, x, channel): (usize, usize, usize)) -> f32 {
        let window = &layer.window;
        let mut sum = layer.bias[channel];
        for row in 0..window.height {
            for column in 0..window.width {
                let (y, x) = (y * window.down + row, x * window.across + column);
                let on = (window.top..window.top + input.height).contains(&y)
                    && (window.left..window.left + input.width).contains(&x);
                if on {
                    let value = input.row(y - window.top)[(x - window.left) * input.channels + channel];
                    sum += value * layer.weights[(row * window.width + column) * input.channels + channel];
                }
            }
        }
        sum
    }

    fn check(window: Window, height: usize, width: usize, channels: usize) {
        let some = |count: usize, step: u16| -> Vec<f32> {
            (0..count).map(|at| f32::from(u16::try_from(at % 997).unwrap() * step % 61) / 8.0 - 3.0).collect()
        };
        let weights = some(window.height * window.width * channels, 7);
        let layer = Depthwise { window, weights, bias: some(channels, 3), activation: Activation::None };
        let input = Grid { height, width, channels, values: some(height * width * channels, 5) };
        let output = layer.apply(&input, &mut Scratch::default()).unwrap();
        for y in 0..output.height {
            for x in 0..output.width {
                for channel in 0..channels {
                    let (found, wanted) =
                        (output.row(y)[x * channels + channel], expected(&layer, &input, (y, x, channel)));
                    assert!((found - wanted).abs() < 1e-2, "{y} {x} {channel}: {found}, not {wanted}");
                }
            }
        }
    }

    #[test]
    fn every_place_is_the_sum_under_its_window() {
        let three = Window { height: 3, width: 3, down: 1, across: 1, top: 1, left: 1, bottom: 1, right: 1 };
        check(three.clone(), 3, 17, 32);
        check(three.clone(), 2, 5, 5);
        check(three.clone(), 1, 1, 16);
        check(Window { down: 2, ..three.clone() }, 6, 12, 48);
        check(Window { down: 2, across: 2, ..three }, 5, 9, 16);
        let five = Window { height: 1, width: 5, down: 1, across: 1, top: 0, left: 2, bottom: 0, right: 2 };
        check(five, 1, 11, 20);
    }
}
