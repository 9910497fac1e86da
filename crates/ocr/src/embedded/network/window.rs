//! How a small window goes over a grid, and the convolution of all channels together.

use std::ops::Range;

use super::dense::Dense;
use super::fault::Fault;
use super::grid::{Grid, Scratch};

/// Its size, its steps, and how far it reaches beyond the grid, where all is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) down: usize,
    pub(super) across: usize,
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) bottom: usize,
    pub(super) right: usize,
}

impl Window {
    pub(super) fn is_one_place(&self) -> bool {
        (self.height, self.width, self.down, self.across) == (1, 1, 1, 1)
            && self.top + self.left + self.bottom + self.right == 0
    }

    /// Height and width of the result.
    pub(super) fn size(&self, input: &Grid) -> Option<(usize, usize)> {
        let along = |length: usize, window: usize, step: usize| Some(length.checked_sub(window)? / step + 1);
        Some((
            along(input.height + self.top + self.bottom, self.height, self.down)?,
            along(input.width + self.left + self.right, self.width, self.across)?,
        ))
    }

    /// Which rows of the window lie on the grid, for a row of the result; the first is on the second number.
    pub(super) fn rows(&self, y: usize, input: &Grid) -> (Range<usize>, usize) {
        on_grid(y * self.down, self.top, self.height, input.height)
    }

    pub(super) fn columns(&self, x: usize, input: &Grid) -> (Range<usize>, usize) {
        on_grid(x * self.across, self.left, self.width, input.width)
    }
}

/// The part of a window on the grid, and where on the grid it begins; `start` counts from `before` before the grid.
fn on_grid(start: usize, before: usize, window: usize, length: usize) -> (Range<usize>, usize) {
    let first = before.saturating_sub(start).min(window);
    let end = (length + before).saturating_sub(start).clamp(first, window);
    (first..end, (start + first).saturating_sub(before))
}

/// Each output is a sum over all channels of the window.
pub(super) struct Convolution {
    pub(super) window: Window,
    pub(super) dense: Dense,
}

impl Convolution {
    pub(super) fn apply(&self, input: &Grid, scratch: &mut Scratch) -> Result<Grid, Fault> {
        if self.window.is_one_place() {
            return self.dense.apply_to_places(input, scratch);
        }
        let (height, width) = self.window.size(input).ok_or(Fault::Small)?;
        let mut output = scratch.grid(height, width, self.dense.outputs());
        let length = width * self.window.height * self.window.width * input.channels;
        scratch.windows.resize(scratch.windows.len().max(length), 0.0);
        for y in 0..height {
            let windows = &mut scratch.windows[..length];
            self.unroll(input, y, windows);
            self.dense.apply(windows, output.row_mut(y), &scratch.product)?;
        }
        Ok(output)
    }

    /// The windows of one row of the result, one behind another.
    fn unroll(&self, input: &Grid, y: usize, windows: &mut [f32]) {
        let channels = input.channels;
        let across = self.window.width * channels;
        let (rows, top) = self.window.rows(y, input);
        for (x, window) in windows.chunks_exact_mut(self.window.height * across).enumerate() {
            let (columns, left) = self.window.columns(x, input);
            for (row, values) in window.chunks_exact_mut(across).enumerate() {
                if rows.contains(&row) {
                    let (before, rest) = values.split_at_mut(columns.start * channels);
                    let (inside, after) = rest.split_at_mut(columns.len() * channels);
                    before.fill(0.0);
                    after.fill(0.0);
                    let from = &input.row(top + row - rows.start)[left * channels..];
                    inside.copy_from_slice(&from[..inside.len()]);
                } else {
                    values.fill(0.0);
                }
            }
        }
    }
}
