//! Reads one line: cuts it out, shows it to the quick network, and to the better one if the quick one doubts.

use std::sync::LazyLock;

use rten::RunOptions;
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::ctc::{Alphabet, Reading, decode};
use super::detector::Region;
use super::doubt::is_doubtful;
use super::networks::{Network, Networks};
use super::resample::{Levels, Part, resample};
use super::scripts::Script;
use crate::{Error, Image};

/// The height the networks were trained on.
const HEIGHT: usize = 48;
/// Widths in steps of a network: its columns stand for eight pixels.
const STEP: usize = 8;
const NARROWEST: usize = 16;
/// A line of 4K at the height of small print; what is longer is squeezed.
const WIDEST: usize = 8_192;

pub(super) static TINY_LATIN: LazyLock<Alphabet> =
    LazyLock::new(|| Alphabet::new(include_str!("../../models/tiny-latin.txt")));
pub(super) static SMALL_LATIN: LazyLock<Alphabet> =
    LazyLock::new(|| Alphabet::new(include_str!("../../models/small-latin.txt")));
pub(super) static SMALL_JAPANESE: LazyLock<Alphabet> =
    LazyLock::new(|| Alphabet::new(include_str!("../../models/small-japanese.txt")));

/// Reads what stands in a region.
pub(super) fn recognise(
    image: Image<'_>,
    region: &Region,
    script: Script,
    networks: &Networks,
    options: &RunOptions,
) -> Result<Reading, Error> {
    let input = cut(image, region);
    match script {
        Script::Latin => {
            let quick = read(networks.tiny()?, "latin", &TINY_LATIN, &input, options)?;
            if is_doubtful(&quick) {
                read(networks.small()?, "latin", &SMALL_LATIN, &input, options)
            } else {
                Ok(quick)
            }
        }
        Script::WideLatin => read(networks.small()?, "latin", &SMALL_LATIN, &input, options),
        Script::Japanese => read(networks.small()?, "japanese", &SMALL_JAPANESE, &input, options),
    }
}

fn cut(image: Image<'_>, region: &Region) -> NdTensor<f32, 4> {
    let part = Part {
        x: region.left,
        y: region.top,
        width: region.right - region.left,
        height: region.bottom - region.top,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "clamped"
    )]
    let width = (HEIGHT as f32 * part.width / part.height).clamp(NARROWEST as f32, WIDEST as f32) as usize;
    let width = width.next_multiple_of(STEP);
    NdTensor::from_data([1, 3, HEIGHT, width], resample(image, part, width, HEIGHT, Levels::SYMMETRIC))
}

fn read(
    network: &Network,
    head: &str,
    alphabet: &Alphabet,
    input: &NdTensor<f32, 4>,
    options: &RunOptions,
) -> Result<Reading, Error> {
    let scores: NdTensor<f32, 3> = network.run(input, network.output(Some(head))?, options.clone())?;
    Ok(decode(&scores.to_vec(), alphabet))
}
