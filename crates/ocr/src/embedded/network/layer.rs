//! The kinds of steps there are.

use super::activation::{Activation, add_and_activate};
use super::attention::{Attention, Normalisation};
use super::dense::Mix;
use super::depthwise::Depthwise;
use super::fault::Fault;
use super::grid::{Grid, Scratch};
use super::shapes;
use super::window::Convolution;

/// One step; `models/program.py` says what each does.
pub(super) enum Layer {
    Convolution(Convolution),
    Depthwise(Depthwise),
    Mix(Mix),
    Activate(Activation),
    Mean,
    /// With how much of itself a channel keeps.
    Gate(f32),
    Add,
    Join,
    Largest,
    /// With height and width of a tile.
    Average((usize, usize)),
    Repeat(usize),
    Spread,
    Normalise(Normalisation),
    Attend(Attention),
}

impl Layer {
    pub(super) fn apply(&self, inputs: &[&Grid], scratch: &mut Scratch) -> Result<Grid, Fault> {
        let &[input, ..] = inputs else { return Err(Fault::Sizes) };
        let second = || inputs.get(1).copied().ok_or(Fault::Sizes);
        Ok(match self {
            Self::Convolution(convolution) => convolution.apply(input, scratch)?,
            Self::Depthwise(depthwise) => depthwise.apply(input, scratch)?,
            Self::Mix(mix) => mix.apply(input, scratch)?,
            Self::Activate(activation) => {
                let mut output = scratch.grid(input.height, input.width, input.channels);
                output.values.copy_from_slice(&input.values);
                add_and_activate(&mut output.values, &vec![0.0; input.channels], *activation);
                output
            }
            Self::Mean => shapes::mean(input, scratch),
            Self::Gate(base) => shapes::gate(input, second()?, *base, scratch)?,
            Self::Add => shapes::add(input, second()?, scratch)?,
            Self::Join => shapes::join(inputs, scratch)?,
            Self::Largest => shapes::largest(input, scratch),
            Self::Average(tile) => shapes::average(input, *tile, scratch),
            Self::Repeat(times) => shapes::repeat(input, *times, scratch),
            Self::Spread => shapes::spread(input, scratch),
            Self::Normalise(normalisation) => normalisation.apply(input, scratch),
            Self::Attend(attention) => attention.apply(input, scratch)?,
        })
    }
}
