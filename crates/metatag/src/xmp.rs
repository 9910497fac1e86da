//! XMP packets: found in place, changed in place.

/// Why a packet cannot be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmpError {
    /// It is not XML.
    #[error("the XMP packet is not well-formed XML: {reason}")]
    Malformed {
        /// What is wrong.
        reason: String,
    },
    /// There is XML, but nowhere to put a property.
    #[error("the XMP packet has no single `rdf:RDF` element")]
    NoRdf,
    /// It is larger or more deeply nested than any real packet.
    #[error("the XMP packet exceeds a limit: {limit}")]
    TooMuch {
        /// Which.
        limit: &'static str,
    },
}
