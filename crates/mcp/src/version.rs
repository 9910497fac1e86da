//! The revisions of the protocol and what differs between them.

use std::fmt;

/// A revision of the Model Context Protocol, oldest first.
#[doc(alias = "protocolVersion")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// 2024-11-05, the first one; also spoken with a client that never introduced itself.
    V2024_11_05,
    /// 2025-03-26: batches, audio, tool annotations.
    V2025_03_26,
    /// 2025-06-18: titles, structured content, elicitation, resource links; no batches.
    V2025_06_18,
    /// 2025-11-25: icons, URL elicitation; the last one with a handshake.
    V2025_11_25,
    /// 2026-07-28: no handshake, every request stands alone.
    V2026_07_28,
}

impl Version {
    /// Every revision we speak, newest first, as `server/discover` lists them.
    pub const ALL: [Version; 5] = [
        Version::V2026_07_28,
        Version::V2025_11_25,
        Version::V2025_06_18,
        Version::V2025_03_26,
        Version::V2024_11_05,
    ];

    /// What a handshake falls back to when the client requests a revision we do not know.
    pub const NEWEST_LEGACY: Version = Version::V2025_11_25;

    /// The only revision that needs no handshake.
    pub const MODERN: Version = Version::V2026_07_28;

    /// Reads the date that names a revision.
    pub fn parse(date: &str) -> Option<Version> {
        Version::ALL.into_iter().find(|version| version.as_str() == date)
    }

    /// The date that names this revision on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::V2024_11_05 => "2024-11-05",
            Version::V2025_03_26 => "2025-03-26",
            Version::V2025_06_18 => "2025-06-18",
            Version::V2025_11_25 => "2025-11-25",
            Version::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether requests of this revision carry their own version and capabilities.
    pub const fn is_modern(self) -> bool {
        matches!(self, Version::V2026_07_28)
    }

    pub(crate) fn has_batches(self) -> bool {
        self == Version::V2025_03_26
    }

    pub(crate) fn has_audio(self) -> bool {
        self >= Version::V2025_03_26
    }

    pub(crate) fn has_annotations(self) -> bool {
        self >= Version::V2025_03_26
    }

    pub(crate) fn has_progress_message(self) -> bool {
        self >= Version::V2025_03_26
    }

    pub(crate) fn has_completions_capability(self) -> bool {
        self >= Version::V2025_03_26
    }

    pub(crate) fn has_titles(self) -> bool {
        self >= Version::V2025_06_18
    }

    pub(crate) fn has_structured_content(self) -> bool {
        self >= Version::V2025_06_18
    }

    pub(crate) fn has_resource_links(self) -> bool {
        self >= Version::V2025_06_18
    }

    pub(crate) fn has_elicitation(self) -> bool {
        self >= Version::V2025_06_18
    }

    pub(crate) fn has_url_elicitation(self) -> bool {
        self >= Version::V2025_11_25
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn every_revision_reads_back_what_it_prints() {
        for version in Version::ALL {
            assert_eq!(Version::parse(version.as_str()), Some(version));
        }
        assert_eq!(Version::parse("2026-07-29"), None);
    }
}
