//! Reads the file of a network: lines of text, an empty line, weights. `models/program.py` writes it and says what is in it.

use std::str::SplitWhitespace;

use super::activation::Activation;
use super::attention::{Attention, Normalisation};
use super::dense::{Dense, Mix, Sum};
use super::depthwise::Depthwise;
use super::fault::Fault;
use super::layer::Layer;
use super::window::{Convolution, Window};

/// A step and the values it takes; value 0 is what the network is given, value n what step n - 1 gives.
pub(super) struct Step {
    pub(super) layer: Layer,
    pub(super) inputs: Vec<usize>,
}

/// A value with a name.
pub(super) struct Output {
    pub(super) name: String,
    pub(super) value: usize,
}

/// A network as it stands in its file.
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<Output>,
}

impl Program {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").ok_or(Fault::Weights)?;
        let text = str::from_utf8(&bytes[..end]).map_err(|_| Fault::Line { line: 1, text: String::new() })?;
        let mut reader = Reader {
            weights: Weights(&bytes[end + 2..]),
            channels: vec![3],
            program: Self { steps: Vec::new(), outputs: Vec::new() },
        };
        for (index, line) in text.lines().enumerate() {
            reader.line(line)?.ok_or_else(|| Fault::Line { line: index + 1, text: line.to_owned() })?;
        }
        if reader.weights.0.is_empty() { Ok(reader.program) } else { Err(Fault::Weights) }
    }
}

struct Reader<'a> {
    weights: Weights<'a>,
    /// How many each value has.
    channels: Vec<usize>,
    program: Program,
}

impl Reader<'_> {
    /// `None` if the line is not understood.
    fn line(&mut self, line: &str) -> Result<Option<()>, Fault> {
        let mut words = line.split_whitespace();
        let (Some(kind), Some(number)) = (words.next(), number(&mut words)) else { return Ok(None) };
        if kind == "output" {
            let Some(name) = words.next().filter(|_| number < self.channels.len()) else { return Ok(None) };
            self.program.outputs.push(Output { name: name.to_owned(), value: number });
            return Ok(Some(()));
        }
        let count = match kind {
            "gate" | "add" => 2,
            "join" => words.clone().count(),
            _ => 1,
        };
        let inputs: Option<Vec<usize>> = (0..count).map(|_| self::number(&mut words)).collect();
        let Some(inputs) = inputs.filter(|inputs| inputs.iter().all(|at| *at < number)) else {
            return Ok(None);
        };
        let known: Option<Vec<usize>> = inputs.iter().map(|at| self.channels.get(*at).copied()).collect();
        let Some(channels) = known.filter(|_| number == self.channels.len()) else { return Ok(None) };
        let Some((layer, channels)) = self.layer(kind, &channels, &mut words)? else { return Ok(None) };
        if words.next().is_some() {
            return Ok(None);
        }
        self.program.steps.push(Step { layer, inputs });
        self.channels.push(channels);
        Ok(Some(()))
    }

    /// The layer, and how many channels it gives.
    fn layer(
        &mut self,
        kind: &str,
        channels: &[usize],
        words: &mut SplitWhitespace<'_>,
    ) -> Result<Option<(Layer, usize)>, Fault> {
        let Some(&given) = channels.first() else { return Ok(None) };
        let same = channels.iter().all(|other| *other == given);
        let layer = match kind {
            "conv" => return self.convolution(given, words),
            "mix" => return self.mix(given, words),
            "depthwise" => return self.depthwise(given, words),
            "normalise" => return self.normalisation(given, words),
            "attend" => {
                let attention =
                    number(words).zip(number(words)).map(|(channels, heads)| Attention { channels, heads });
                let fits = |it: &Attention| {
                    3 * it.channels == given && it.heads > 0 && it.channels.is_multiple_of(it.heads)
                };
                return Ok(attention.filter(fits).map(|it| {
                    let channels = it.channels;
                    (Layer::Attend(it), channels)
                }));
            }
            "join" => return Ok(Some((Layer::Join, channels.iter().sum()))),
            "spread" if given.is_multiple_of(4) => return Ok(Some((Layer::Spread, given / 4))),
            "activate" => words.next().and_then(Activation::named).map(Layer::Activate),
            "mean" => Some(Layer::Mean),
            "gate" if same => number(words).map(|base| Layer::Gate(if base == 0 { 0.0 } else { 1.0 })),
            "add" if same => Some(Layer::Add),
            "largest" => Some(Layer::Largest),
            "average" => words.next().and_then(pair).map(Layer::Average),
            "repeat" => number(words).map(Layer::Repeat),
            _ => None,
        };
        Ok(layer.map(|layer| (layer, given)))
    }

    fn convolution(
        &mut self,
        given: usize,
        words: &mut SplitWhitespace<'_>,
    ) -> Result<Option<(Layer, usize)>, Fault> {
        let sizes = words.next().and_then(chain);
        let window = window(words);
        let activation = words.next().and_then(Activation::named);
        let format = words.next().and_then(Format::named);
        let (Some(sizes), Some(window), Some(activation), Some(format)) = (sizes, window, activation, format)
        else {
            return Ok(None);
        };
        let &[from, to] = sizes.as_slice() else { return Ok(None) };
        if from != given {
            return Ok(None);
        }
        let dense = self.weights.dense((from * window.height * window.width, to), activation, format)?;
        Ok(Some((Layer::Convolution(Convolution { window, dense }), to)))
    }

    fn mix(
        &mut self,
        given: usize,
        words: &mut SplitWhitespace<'_>,
    ) -> Result<Option<(Layer, usize)>, Fault> {
        let sizes = words.next().and_then(chain);
        let activation = words.next().and_then(Activation::named);
        let sum = match words.next() {
            Some("replace") => Sum::Replace,
            Some("add") => Sum::Add,
            _ => return Ok(None),
        };
        let format = words.next().and_then(Format::named);
        let (Some(sizes), Some(activation), Some(format)) = (sizes, activation, format) else {
            return Ok(None);
        };
        let &[from, hidden, to] = sizes.as_slice() else { return Ok(None) };
        if from != given || (sum == Sum::Add && from != to) {
            return Ok(None);
        }
        let first = self.weights.dense((from, hidden), activation, format)?;
        let second = self.weights.dense((hidden, to), Activation::None, format)?;
        Ok(Some((Layer::Mix(Mix { first, second, sum }), to)))
    }

    fn depthwise(
        &mut self,
        given: usize,
        words: &mut SplitWhitespace<'_>,
    ) -> Result<Option<(Layer, usize)>, Fault> {
        let channels = number(words).filter(|channels| *channels == given);
        let window = window(words);
        let activation = words.next().and_then(Activation::named);
        let (Some(channels), Some(window), Some(activation)) = (channels, window, activation) else {
            return Ok(None);
        };
        let weights = self.weights.floats(window.height * window.width * channels)?;
        let bias = self.weights.floats(channels)?;
        Ok(Some((Layer::Depthwise(Depthwise { window, weights, bias, activation }), channels)))
    }

    fn normalisation(
        &mut self,
        given: usize,
        words: &mut SplitWhitespace<'_>,
    ) -> Result<Option<(Layer, usize)>, Fault> {
        let channels = number(words).filter(|channels| *channels == given);
        let epsilon = words.next().and_then(|word| word.parse().ok());
        let (Some(channels), Some(epsilon)) = (channels, epsilon) else { return Ok(None) };
        let (factor, shift) = (self.weights.floats(channels)?, self.weights.floats(channels)?);
        Ok(Some((Layer::Normalise(Normalisation { factor, shift, epsilon }), channels)))
    }
}

/// How weights are written.
#[derive(Clone, Copy)]
enum Format {
    Bytes,
    Floats,
}

impl Format {
    fn named(name: &str) -> Option<Self> {
        match name {
            "int8" => Some(Self::Bytes),
            "float" => Some(Self::Floats),
            _ => None,
        }
    }
}

/// What is left of the weights.
struct Weights<'a>(&'a [u8]);

impl Weights<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Fault::Weights)?;
        self.0 = rest;
        Ok(taken)
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, Fault> {
        let (numbers, _) = self.take(count.saturating_mul(4))?.as_chunks();
        Ok(numbers.iter().copied().map(f32::from_le_bytes).collect())
    }

    fn dense(
        &mut self,
        (from, to): (usize, usize),
        activation: Activation,
        format: Format,
    ) -> Result<Dense, Fault> {
        let count = from.saturating_mul(to);
        let weights = match format {
            Format::Floats => self.floats(count)?,
            Format::Bytes => {
                let bytes: Vec<i8> = self.take(count)?.iter().map(|byte| byte.cast_signed()).collect();
                let scales = self.floats(to)?;
                bytes
                    .iter()
                    .zip(scales.iter().cycle())
                    .map(|(byte, scale)| f32::from(*byte) * scale)
                    .collect()
            }
        };
        Ok(Dense::new(from, &weights, self.floats(to)?, activation))
    }
}

fn number(words: &mut SplitWhitespace<'_>) -> Option<usize> {
    words.next()?.parse().ok()
}

/// `3x2`; neither is zero.
fn pair(word: &str) -> Option<(usize, usize)> {
    let (height, width) = word.split_once('x')?;
    let both = (height.parse().ok()?, width.parse().ok()?);
    (both.0 > 0 && both.1 > 0).then_some(both)
}

/// `48>96>48`.
fn chain(word: &str) -> Option<Vec<usize>> {
    word.split('>').map(|number| number.parse().ok().filter(|number| *number > 0)).collect()
}

/// `3x3/2x2 1,1,1,1`.
fn window(words: &mut SplitWhitespace<'_>) -> Option<Window> {
    let (size, steps) = words.next()?.split_once('/')?;
    let ((height, width), (down, across)) = (pair(size)?, pair(steps)?);
    let beyond: Vec<usize> =
        words.next()?.split(',').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let &[top, left, bottom, right] = beyond.as_slice() else { return None };
    Some(Window { height, width, down, across, top, left, bottom, right })
}
