//! Whether a line read by the quick network is worth the better one.

use super::ctc::Reading;

/// A reading is doubted when the two best characters were closer than this at any step.
const CLOSE: f32 = 2.0;

pub(super) fn is_doubtful(reading: &Reading) -> bool {
    reading.margin < CLOSE
}
