//! The networks that ship with the program, loaded when first needed.

use std::sync::OnceLock;

use rten::{Model, ModelOptions, NodeId, OpRegistry, RunOptions, op_types};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use crate::Error;

/// The networks of one engine.
#[derive(Default)]
pub(super) struct Networks {
    detector: OnceLock<Network>,
    tiny: OnceLock<Network>,
    small: OnceLock<Network>,
}

impl Networks {
    /// Finds text: a picture in, for each pixel the probability of text out.
    pub(super) fn detector(&self) -> Result<&Network, Error> {
        load(&self.detector, "detect-tiny", include_bytes!("../../models/detect-tiny.onnx"))
    }

    /// Reads Latin letters, quickly.
    pub(super) fn tiny(&self) -> Result<&Network, Error> {
        load(&self.tiny, "recognise-tiny", include_bytes!("../../models/recognise-tiny.onnx"))
    }

    /// Reads Latin letters and Japanese, better, for more than three times the work.
    pub(super) fn small(&self) -> Result<&Network, Error> {
        load(&self.small, "recognise-small", include_bytes!("../../models/recognise-small.onnx"))
    }
}

/// A network that can be run.
pub(super) struct Network {
    name: &'static str,
    model: Model,
}

impl Network {
    fn load(name: &'static str, bytes: &'static [u8]) -> Result<Self, Error> {
        // Only what these networks use: the linker leaves the other hundred and fifty operators out.
        let operators = OpRegistry::with_ops(&[
            &op_types::Add,
            &op_types::AveragePool,
            &op_types::Concat,
            &op_types::Conv,
            &op_types::ConvTranspose,
            &op_types::DequantizeLinear,
            &op_types::Div,
            &op_types::Erf,
            &op_types::GlobalAveragePool,
            &op_types::HardSigmoid,
            &op_types::Identity,
            &op_types::BatchNormalization,
            &op_types::MatMul,
            &op_types::MaxPool,
            &op_types::Mul,
            &op_types::Pow,
            &op_types::ReduceMean,
            &op_types::Relu,
            &op_types::Reshape,
            &op_types::Resize,
            &op_types::Shape,
            &op_types::Sigmoid,
            &op_types::Slice,
            &op_types::Softmax,
            &op_types::Sqrt,
            &op_types::Squeeze,
            &op_types::Sub,
            &op_types::Transpose,
            &op_types::Unsqueeze,
        ]);
        let mut options = ModelOptions::with_ops(operators);
        options.prepack_weights(true);
        let model = options
            .load_static_slice(bytes)
            .map_err(|source| Error::Network { name, source: source.into() })?;
        Ok(Self { name, model })
    }

    /// Its output of that name, or its only one.
    pub(super) fn output(&self, name: Option<&str>) -> Result<NodeId, Error> {
        match name {
            Some(name) => self.model.node_id(name).map_err(|source| self.failed(source)),
            None => self.model.output_ids().first().copied().ok_or_else(|| self.failed("it has no output")),
        }
    }

    /// Runs it on one tensor.
    pub(super) fn run<const OUT: usize>(
        &self,
        input: &NdTensor<f32, 4>,
        output: NodeId,
        options: RunOptions,
    ) -> Result<NdTensor<f32, OUT>, Error> {
        let &feed = self.model.input_ids().first().ok_or_else(|| self.failed("it has no input"))?;
        let mut values = self
            .model
            .run(vec![(feed, input.view().into())], &[output], Some(options))
            .map_err(|source| self.failed(source))?;
        let value = values.pop().ok_or_else(|| self.failed("it has no output"))?;
        value.try_into().map_err(|source: rten::TryFromValueError| self.failed(source))
    }

    fn failed(&self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Network { name: self.name, source: source.into() }
    }
}

fn load<'a>(
    slot: &'a OnceLock<Network>,
    name: &'static str,
    bytes: &'static [u8],
) -> Result<&'a Network, Error> {
    if let Some(network) = slot.get() {
        return Ok(network);
    }
    // Two threads may load at once; one of the results is kept.
    let network = Network::load(name, bytes)?;
    Ok(slot.get_or_init(|| network))
}
