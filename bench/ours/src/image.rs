//! The picture the `image` tool sends: fixed bytes that no encoder can take a short cut on.

use std::sync::OnceLock;

const LEN: usize = 1_000_000;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Made at the first call, so that starting the server does not pay for it.
pub(crate) fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let mut state = SEED;
        let words = std::iter::repeat_with(|| xorshift(&mut state).to_le_bytes());
        words.flatten().take(LEN).collect()
    })
}

fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
