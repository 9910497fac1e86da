//! IPTC-IIM: the older records with keywords, caption and place.

/// Why IPTC records cannot be read or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IimError {
    /// A record does not begin or end where it should.
    #[error("the IPTC records are damaged at byte {at}")]
    Damaged {
        /// Where.
        at: usize,
    },
    /// They are larger than any real block, or would be.
    #[error("the IPTC records are too large")]
    TooLarge,
}
