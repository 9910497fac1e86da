//! Numbers in bytes, in either order.

pub(crate) fn u16_be(bytes: &[u8], at: usize) -> Option<u16> {
    ByteOrder::Big.u16(bytes, at)
}

pub(crate) fn u32_be(bytes: &[u8], at: usize) -> Option<u32> {
    ByteOrder::Big.u32(bytes, at)
}

pub(crate) fn u16_le(bytes: &[u8], at: usize) -> Option<u16> {
    ByteOrder::Little.u16(bytes, at)
}

pub(crate) fn u32_le(bytes: &[u8], at: usize) -> Option<u32> {
    ByteOrder::Little.u32(bytes, at)
}

/// The order in which the bytes of a number stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    /// What the header of a TIFF block says.
    pub(crate) fn of(tiff: &[u8]) -> Option<ByteOrder> {
        match tiff.first_chunk()? {
            b"MM\0*" => Some(ByteOrder::Big),
            b"II*\0" => Some(ByteOrder::Little),
            _ => None,
        }
    }

    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let two = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Big => u16::from_be_bytes(two),
            ByteOrder::Little => u16::from_le_bytes(two),
        })
    }

    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let four = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Big => u32::from_be_bytes(four),
            ByteOrder::Little => u32::from_le_bytes(four),
        })
    }

    pub(crate) fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let eight = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Big => u64::from_be_bytes(eight),
            ByteOrder::Little => u64::from_le_bytes(eight),
        })
    }

    pub(crate) fn write_u64(self, value: u64) -> [u8; 8] {
        match self {
            ByteOrder::Big => value.to_be_bytes(),
            ByteOrder::Little => value.to_le_bytes(),
        }
    }

    pub(crate) fn write_u16(self, value: u16) -> [u8; 2] {
        match self {
            ByteOrder::Big => value.to_be_bytes(),
            ByteOrder::Little => value.to_le_bytes(),
        }
    }

    pub(crate) fn write_u32(self, value: u32) -> [u8; 4] {
        match self {
            ByteOrder::Big => value.to_be_bytes(),
            ByteOrder::Little => value.to_le_bytes(),
        }
    }

    pub(crate) fn put_u32(self, bytes: &mut [u8], at: usize, value: u32) {
        if let Some(place) = bytes.get_mut(at..at + 4) {
            place.copy_from_slice(&self.write_u32(value));
        }
    }
}
