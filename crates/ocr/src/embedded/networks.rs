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
