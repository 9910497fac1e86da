//! Lengths in pixels, whole and as fractions. Sides of pictures are far below 2^24, so nothing is lost either way.

/// A whole length as a fraction.
#[expect(clippy::cast_precision_loss, reason = "far below 2^24")]
pub(super) fn real(length: usize) -> f32 {
    length as f32
}

/// The whole part of a length, at least zero.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and a cast of a float saturates"
)]
pub(super) fn whole(length: f32) -> usize {
    length.max(0.0) as usize
}

/// A length as `Image` counts them.
pub(super) fn pixels(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
