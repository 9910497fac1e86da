//! Every output is a weighted sum of all inputs: one product of matrices for many places.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

use super::activation::{Activation, add_and_activate};
use super::fault::Fault;
use super::grid::{Grid, Scratch};

/// Places at a time: what is computed is still in the cache when it is bent.
const NUMBERS_AT_A_TIME: usize = 48 * 1024;
/// The product takes six rows at once.
const ROWS: usize = 6;

/// Weights, what to add, and the curve.
pub(super) struct Dense {
    inputs: usize,
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
    activation: Activation,
}

impl Dense {
    /// Takes `inputs` rows of weights, each as long as `bias`.
    pub(super) fn new(inputs: usize, weights: &[f32], bias: Vec<f32>, activation: Activation) -> Self {
        let matrix = NdTensorView::from_data([inputs, bias.len()], weights);
        Self { inputs, weights: GemmExecutor::default().prepack_b(matrix), bias, activation }
    }

    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// From rows of inputs to as many rows of outputs.
    pub(super) fn apply(&self, rows: &[f32], out: &mut [f32], product: &GemmExecutor) -> Result<(), Fault> {
        let rows = NdTensorView::from_data([rows.len() / self.inputs, self.inputs], rows);
        product.gemm(
            out,
            GemmInputA::Unpacked(rows),
            GemmInputB::Packed(&self.weights),
            GemmOptions { beta: 0.0, ..GemmOptions::default() },
        )?;
        add_and_activate(out, &self.bias, self.activation);
        Ok(())
    }

    /// Each place by itself.
    pub(super) fn apply_to_places(&self, input: &Grid, scratch: &mut Scratch) -> Result<Grid, Fault> {
        let mut output = scratch.grid(input.height, input.width, self.outputs());
        let count = at_a_time(self.outputs());
        let rows = input.values.chunks(count * self.inputs);
        for (rows, out) in rows.zip(output.values.chunks_mut(count * self.outputs())) {
            self.apply(rows, out, &scratch.product)?;
        }
        Ok(output)
    }
}

/// Two of them, one after the other; the result may be added to what came in.
pub(super) struct Mix {
    pub(super) first: Dense,
    pub(super) second: Dense,
    pub(super) sum: Sum,
}

/// What becomes of the input of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    Replace,
    Add,
}

impl Mix {
    pub(super) fn apply(&self, input: &Grid, scratch: &mut Scratch) -> Result<Grid, Fault> {
        let mut output = scratch.grid(input.height, input.width, self.second.outputs());
        let count = at_a_time(self.first.outputs());
        let hidden = count * self.first.outputs();
        scratch.between.resize(scratch.between.len().max(hidden), 0.0);
        let rows = input.values.chunks(count * self.first.inputs);
        for (rows, out) in rows.zip(output.values.chunks_mut(count * self.second.outputs())) {
            let between = &mut scratch.between[..rows.len() / self.first.inputs * self.first.outputs()];
            self.first.apply(rows, between, &scratch.product)?;
            self.second.apply(between, out, &scratch.product)?;
            match self.sum {
                Sum::Replace => {}
                Sum::Add => out.iter_mut().zip(rows).for_each(|(value, input)| *value += input),
            }
        }
        Ok(output)
    }
}

fn at_a_time(numbers: usize) -> usize {
    (NUMBERS_AT_A_TIME / numbers.max(1)).max(1).next_multiple_of(ROWS)
}
