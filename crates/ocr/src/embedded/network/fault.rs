//! Why a network does not do its work. Ours are checked in, so all of these are mistakes of ours.

/// What is wrong with a program, or with what it was given.
#[derive(Debug, thiserror::Error)]
pub(in super::super) enum Fault {
    #[error("line {line} of its program is not understood: {text}")]
    Line { line: usize, text: String },
    #[error("the weights of its program end too early, or too late")]
    Weights,
    #[error("its program has no output `{0}`")]
    Output(String),
    #[error("what it was given has {found} channels, not {wanted}")]
    Channels { found: usize, wanted: usize },
    #[error("what it was given is too small")]
    Small,
    #[error("grids that belong together differ in size")]
    Sizes,
    #[error("a value was used after its last use")]
    Gone,
    #[error("a product of matrices failed")]
    Product(#[from] rten_gemm::GemmError),
}
