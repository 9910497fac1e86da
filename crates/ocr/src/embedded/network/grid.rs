//! What flows through a network: a grid of places, each with its channels next to each other.

use rten_gemm::GemmExecutor;

/// `height * width` places of `channels` numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Grid {
    pub(in super::super) height: usize,
    pub(in super::super) width: usize,
    pub(in super::super) channels: usize,
    pub(in super::super) values: Vec<f32>,
}

impl Grid {
    pub(super) fn places(&self) -> usize {
        self.height * self.width
    }

    pub(super) fn row(&self, y: usize) -> &[f32] {
        let length = self.width * self.channels;
        &self.values[y * length..][..length]
    }

    pub(super) fn row_mut(&mut self, y: usize) -> &mut [f32] {
        let length = self.width * self.channels;
        &mut self.values[y * length..][..length]
    }

    pub(super) fn is_as_large_as(&self, other: &Self) -> bool {
        (self.height, self.width) == (other.height, other.width)
    }
}

/// Memory that one thread uses again and again: fresh pages cost about as much as the arithmetic on them.
#[derive(Default)]
pub(in super::super) struct Scratch {
    free: Vec<Vec<f32>>,
    /// Multiplies matrices, by the instructions this processor has.
    pub(super) product: GemmExecutor,
    /// The windows of a convolution, one row each.
    pub(super) windows: Vec<f32>,
    /// What is between the two halves of a step.
    pub(super) between: Vec<f32>,
}

/// More are not alive at once in any of our networks.
const MOST_FREE: usize = 16;

impl Scratch {
    /// A grid of that size with any values: whoever asks writes all of them.
    pub(super) fn grid(&mut self, height: usize, width: usize, channels: usize) -> Grid {
        let length = height * width * channels;
        let fit = self.free.iter().enumerate().min_by_key(|(_, free)| free.capacity().abs_diff(length));
        let mut values = fit.map(|(at, _)| at).map_or_else(Vec::new, |at| self.free.swap_remove(at));
        values.resize(length, 0.0);
        Grid { height, width, channels, values }
    }

    /// Takes a grid back that nobody needs any more.
    pub(in super::super) fn recycle(&mut self, grid: Grid) {
        if self.free.len() < MOST_FREE {
            self.free.push(grid.values);
        }
    }
}
