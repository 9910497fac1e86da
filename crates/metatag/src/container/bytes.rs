//! Reading numbers from bytes, where there are any.

pub(crate) fn u16_be(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn u32_be(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn u16_le(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn u32_le(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The order in which the bytes of a number stand in a TIFF block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Big,
    Little,
}

impl Order {
    /// What the header of a TIFF block says.
    pub(crate) fn of(tiff: &[u8]) -> Option<Order> {
        match tiff.first_chunk()? {
            b"MM\0*" => Some(Order::Big),
            b"II*\0" => Some(Order::Little),
            _ => None,
        }
    }

    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let two = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Big => u16::from_be_bytes(two),
            Order::Little => u16::from_le_bytes(two),
        })
    }

    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let four = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Big => u32::from_be_bytes(four),
            Order::Little => u32::from_le_bytes(four),
        })
    }

    pub(crate) fn put_u32(self, bytes: &mut [u8], at: usize, value: u32) {
        let four = match self {
            Order::Big => value.to_be_bytes(),
            Order::Little => value.to_le_bytes(),
        };
        if let Some(place) = bytes.get_mut(at..at + 4) {
            place.copy_from_slice(&four);
        }
    }
}
