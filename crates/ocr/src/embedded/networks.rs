//! The networks that ship with the program, loaded when first needed.

use std::sync::OnceLock;

use super::network::{Fault, Grid, Network, Scratch};
use crate::Error;

/// The networks of one engine.
#[derive(Default)]
pub(super) struct Networks {
    detector: OnceLock<Named>,
    tiny: OnceLock<Named>,
    small: OnceLock<Named>,
}

impl Networks {
    /// Finds text: a picture in, for each pixel the probability of text out.
    pub(super) fn detector(&self) -> Result<&Named, Error> {
        load(&self.detector, "detect-tiny", include_bytes!("../../models/detect-tiny.program"))
    }

    /// Reads Latin letters, quickly.
    pub(super) fn tiny(&self) -> Result<&Named, Error> {
        load(&self.tiny, "recognise-tiny", include_bytes!("../../models/recognise-tiny.program"))
    }

    /// Reads Latin letters and Japanese, better, for more than six times the work.
    pub(super) fn small(&self) -> Result<&Named, Error> {
        load(&self.small, "recognise-small", include_bytes!("../../models/recognise-small.program"))
    }
}

/// A network and its name.
pub(super) struct Named {
    name: &'static str,
    network: Network,
}

impl Named {
    /// Runs it as far as the output of that name needs.
    pub(super) fn run(&self, input: Grid, output: &str, scratch: &mut Scratch) -> Result<Grid, Error> {
        self.network.run(input, output, scratch).map_err(|fault| failed(self.name, fault))
    }
}

fn failed(name: &'static str, fault: Fault) -> Error {
    Error::Network { name, source: fault.into() }
}

fn load<'a>(slot: &'a OnceLock<Named>, name: &'static str, bytes: &'static [u8]) -> Result<&'a Named, Error> {
    if let Some(network) = slot.get() {
        return Ok(network);
    }
    // Two threads may load at once; one of the results is kept.
    let network = Network::load(bytes).map_err(|fault| failed(name, fault))?;
    Ok(slot.get_or_init(|| Named { name, network }))
}

#[cfg(test)]
mod tests {
    use super::super::network::{Grid, Scratch};
    use super::super::resample::{Levels, Part, resample};
    use super::{Named, Networks};
    use crate::Image;

    /// The picture that onnxruntime was shown: two scripts in one line.
    const PICTURE: &[u8] = include_bytes!("../../models/line.pgm");
    const WIDTH: u32 = 320;
    const ROWS: u32 = 64;

    /// Sums of thousands of numbers, in another order: floats agree no better.
    const CLOSE: f32 = 2e-3;

    /// Some rows of the picture, as a network gets them.
    fn input(top: f32, height: u16, levels: Levels) -> Grid {
        let grey = &PICTURE[PICTURE.len() - (WIDTH * ROWS) as usize..];
        let rgb: Vec<u8> = grey.iter().flat_map(|byte| [*byte; 3]).collect();
        let image = Image::rgb(WIDTH, ROWS, &rgb).unwrap();
        let part = Part { x: 0.0, y: top, width: 320.0, height: f32::from(height) };
        resample(image, part, WIDTH as usize, height.into(), levels)
    }

    #[track_caller]
    fn is_close(ours: f32, theirs: &str, what: &str) {
        let theirs: f32 = theirs.parse().unwrap();
        assert!((ours - theirs).abs() <= CLOSE * theirs.abs().max(1.0), "{what}: {ours}, not {theirs}");
    }

    /// Each step of a recogniser: the logarithm of the sum of all powers, and the highest scores.
    #[track_caller]
    fn check(network: &Named, head: &str, golden: &str) {
        let input = input(8.0, 48, Levels::SYMMETRIC);
        let scores = network.run(input, head, &mut Scratch::default()).unwrap();
        assert_eq!(scores.width, golden.lines().count(), "steps");
        for (number, (step, golden)) in
            scores.values.chunks_exact(scores.channels).zip(golden.lines()).enumerate()
        {
            let (total, best) = golden.split_once(' ').unwrap();
            let highest = step.iter().copied().fold(f32::MIN, f32::max);
            let sum: f32 = step.iter().map(|score| (score - highest).exp()).sum();
            is_close(highest + sum.ln(), total, &format!("the sum of step {number}"));
            for part in best.split(' ') {
                let (class, score) = part.split_once(':').unwrap();
                is_close(
                    step[class.parse::<usize>().unwrap()],
                    score,
                    &format!("step {number}, class {class}"),
                );
            }
        }
    }

    #[test]
    fn recognise_tiny_computes_what_onnxruntime_does() {
        let networks = Networks::default();
        let golden = include_str!("../../models/recognise-tiny-latin.golden");
        check(networks.tiny().unwrap(), "latin", golden);
    }

    #[test]
    fn recognise_small_computes_what_onnxruntime_does() {
        let networks = Networks::default();
        let (latin, japanese) = (
            include_str!("../../models/recognise-small-latin.golden"),
            include_str!("../../models/recognise-small-japanese.golden"),
        );
        check(networks.small().unwrap(), "latin", latin);
        check(networks.small().unwrap(), "japanese", japanese);
    }

    /// Every second row and every fourth column.
    #[test]
    fn detect_tiny_computes_what_onnxruntime_does() {
        let input = input(0.0, 64, Levels::IMAGENET);
        let map =
            Networks::default().detector().unwrap().run(input, "text", &mut Scratch::default()).unwrap();
        assert_eq!((map.width, map.height, map.channels), (320, 64, 1));
        let golden = include_str!("../../models/detect-tiny.golden");
        let mut marked = 0;
        for (row, golden) in map.values.chunks_exact(map.width).step_by(2).zip(golden.lines()) {
            for (ours, theirs) in row.iter().step_by(4).zip(golden.split(' ')) {
                is_close(*ours, theirs, "a place");
                marked += usize::from(*ours > 0.3);
            }
        }
        assert!(marked > 100, "the line is found");
    }
}
