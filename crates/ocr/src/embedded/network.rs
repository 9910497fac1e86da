//! Runs networks: a list of steps on grids, each by products of matrices and plain loops.
//!
//! A general runtime spends half its time beside the products: on convolutions of single channels, on moving channels
//! about, on fresh memory. Ours keeps channels next to each other, bends numbers while they are in the cache, and uses its
//! memory again.

mod activation;
mod attention;
mod dense;
mod depthwise;
mod fault;
mod grid;
mod layer;
mod program;
mod shapes;
mod window;

pub(super) use fault::Fault;
pub(super) use grid::{Grid, Scratch};

use program::{Program, Step};

/// A network that can be run.
pub(super) struct Network {
    steps: Vec<Step>,
    plans: Vec<Plan>,
}

/// What is to be done for one output.
struct Plan {
    name: String,
    value: usize,
    /// The steps, in order, each with the values nobody needs after it.
    steps: Vec<(usize, Vec<usize>)>,
}

impl Network {
    /// Reads the file of a network.
    pub(super) fn load(bytes: &[u8]) -> Result<Self, Fault> {
        let Program { steps, outputs } = Program::read(bytes)?;
        let plans = outputs.into_iter().map(|output| Plan::new(&steps, output)).collect();
        Ok(Self { steps, plans })
    }

    /// Runs it as far as this output needs.
    pub(super) fn run(&self, input: Grid, output: &str, scratch: &mut Scratch) -> Result<Grid, Fault> {
        let plan = self.plans.iter().find(|plan| plan.name == output);
        let plan = plan.ok_or_else(|| Fault::Output(output.to_owned()))?;
        if input.channels != 3 {
            return Err(Fault::Channels { found: input.channels, wanted: 3 });
        }
        if input.places() == 0 {
            return Err(Fault::Small);
        }
        let mut values: Vec<Option<Grid>> = (0..=self.steps.len()).map(|_| None).collect();
        values[0] = Some(input);
        for (at, done) in &plan.steps {
            let Step { layer, inputs } = &self.steps[*at];
            let inputs: Option<Vec<&Grid>> = inputs.iter().map(|value| values[*value].as_ref()).collect();
            let result = layer.apply(&inputs.ok_or(Fault::Gone)?, scratch)?;
            values[at + 1] = Some(result);
            for value in done.iter().filter_map(|value| values[*value].take()) {
                scratch.recycle(value);
            }
        }
        values[plan.value].take().ok_or(Fault::Gone)
    }
}

impl Plan {
    fn new(steps: &[Step], output: program::Output) -> Self {
        let mut needed = vec![false; steps.len() + 1];
        needed[output.value] = true;
        let mut plan = Vec::new();
        // From the end: the first use that is met is the last.
        for (at, step) in steps.iter().enumerate().rev().filter(|(at, _)| *at < output.value) {
            if needed[at + 1] {
                let done = step.inputs.iter().copied().filter(|value| !needed[*value]).collect();
                step.inputs.iter().for_each(|value| needed[*value] = true);
                plan.push((at, done));
            }
        }
        plan.reverse();
        Self { name: output.name, value: output.value, steps: plan }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn network(text: &str, weights: &[u8]) -> Result<Network, Fault> {
        Network::load(&[text.as_bytes(), b"\n\n", weights].concat())
    }

    /// Three channels of which the first two are zero.
    fn picture(height: usize, width: usize, values: &[f32]) -> Grid {
        Grid {
            height,
            width,
            channels: 3,
            values: values.iter().flat_map(|value| [0.0, 0.0, *value]).collect(),
        }
    }

    fn run(network: &Network, input: Grid, output: &str) -> Grid {
        network.run(input, output, &mut Scratch::default()).unwrap()
    }

    #[test]
    fn a_convolution_sums_its_window_and_zeros_are_around_the_picture() {
        let mut weights = vec![0.0; 3 * 9];
        weights.iter_mut().skip(2).step_by(3).for_each(|weight| *weight = 1.0);
        let bytes = floats(&[weights, vec![0.5]].concat());
        let network = network("conv 1 0 3>1 3x3/1x1 1,1,1,1 none float\noutput 1 sums", &bytes).unwrap();
        let sums = run(&network, picture(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "sums");
        assert_eq!(sums.values, [12.5, 21.5, 16.5, 12.5, 21.5, 16.5]);
    }

    #[test]
    fn a_depthwise_convolution_keeps_channels_apart_and_can_step() {
        let weights: Vec<f32> = [[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]].concat();
        let bytes = floats(&[weights, vec![0.0, 1.0, 2.0]].concat());
        let network = network("depthwise 1 0 3 1x2/1x2 0,0,0,1 none\noutput 1 all", &bytes).unwrap();
        let input = Grid {
            height: 1,
            width: 3,
            channels: 3,
            values: vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0],
        };
        assert_eq!(run(&network, input, "all").values, [5.0, 51.0, 502.0, 3.0, 31.0, 302.0]);
    }

    #[test]
    fn weights_of_eight_bits_are_scaled_and_a_mix_adds_its_input() {
        // Doubles every channel by way of one that is scaled by a half, then adds the input.
        let identity = [4, 0, 0, 0, 4, 0, 0, 0, 4];
        let half = [&identity[..], &floats(&[0.5; 3]), &floats(&[0.0; 3])].concat();
        let bytes = [half.clone(), half].concat();
        let network = network("mix 1 0 3>3>3 none add int8\noutput 1 all", &bytes).unwrap();
        assert_eq!(run(&network, picture(1, 1, &[7.0]), "all").values, [0.0, 0.0, 35.0]);
    }

    #[test]
    fn only_what_an_output_needs_is_run() {
        let text = "mean 1 0\nrepeat 2 1 2\nadd 3 1 1\noutput 2 wide\noutput 3 twice";
        let network = network(text, &[]).unwrap();
        assert_eq!(network.plans[1].steps, [(0, vec![0]), (2, vec![1, 1])]);
        assert_eq!(run(&network, picture(1, 2, &[1.0, 2.0]), "twice").values, [0.0, 0.0, 3.0]);
        assert_eq!(run(&network, picture(1, 2, &[1.0, 2.0]), "wide").width, 2);
        assert!(network.run(picture(1, 1, &[1.0]), "other", &mut Scratch::default()).is_err());
    }

    #[test]
    fn programs_that_make_no_sense_are_refused() {
        for text in [
            "",
            "dance 1 0",
            "mean 2 0",
            "mean 1 1",
            "mean 1 0 0",
            "output 1 all",
            "conv 1 0 4>1 1x1/1x1 0,0,0,0 none float",
            "conv 1 0 3>1 0x1/1x1 0,0,0,0 none float",
            "average 1 0 0x2",
        ] {
            assert!(
                matches!(network(text, &[]), Err(Fault::Line { .. } | Fault::Weights)) == !text.is_empty(),
                "{text}"
            );
        }
        assert!(matches!(network("conv 1 0 3>1 1x1/1x1 0,0,0,0 none float", &[0; 15]), Err(Fault::Weights)));
        assert!(matches!(network("conv 1 0 3>1 1x1/1x1 0,0,0,0 none float", &[0; 17]), Err(Fault::Weights)));
    }

    #[test]
    fn pictures_without_pixels_or_colours_are_refused() {
        let network = network("mean 1 0\noutput 1 all", &[]).unwrap();
        let refuses = |input| network.run(input, "all", &mut Scratch::default()).is_err();
        assert!(refuses(Grid::default()));
        assert!(refuses(Grid { height: 0, width: 5, channels: 3, values: Vec::new() }));
    }
}
