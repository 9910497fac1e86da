//! What is fuzzed.

/// Must return for every input: no panic, no abort, no hang.
pub(crate) fn target(input: &[u8]) {
    let _ = input;
}
