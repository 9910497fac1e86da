//! Colours, as people write them.

/// A colour with its opacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// 0 is not there, 255 hides everything below.
    pub opacity: u8,
}

/// Those people say by name.
const NAMES: &[(&str, [u8; 3])] = &[
    ("black", [0, 0, 0]),
    ("blue", [0, 0, 255]),
    ("cyan", [0, 255, 255]),
    ("gray", [128, 128, 128]),
    ("green", [0, 128, 0]),
    ("grey", [128, 128, 128]),
    ("lime", [0, 255, 0]),
    ("magenta", [255, 0, 255]),
    ("orange", [255, 165, 0]),
    ("purple", [128, 0, 128]),
    ("red", [255, 0, 0]),
    ("white", [255, 255, 255]),
    ("yellow", [255, 255, 0]),
];

impl Colour {
    /// What is drawn where nothing else is said.
    pub const RED: Colour = Colour { rgb: [255, 0, 0], opacity: 255 };
    /// What a marker pen has.
    pub const YELLOW: Colour = Colour { rgb: [255, 255, 0], opacity: 255 };

    /// From `#RGB`, `#RGBA`, `#RRGGBB`, `#RRGGBBAA` or a name.
    pub fn parse(text: &str) -> Option<Colour> {
        let Some(digits) = text.trim().strip_prefix('#') else {
            let (_, rgb) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()))?;
            return Some(Colour { rgb: *rgb, opacity: u8::MAX });
        };
        let digits: Vec<u8> =
            digits.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect::<Option<_>>()?;
        let pairs: Vec<u8> = match digits.len() {
            3 | 4 => digits.iter().map(|digit| digit * 17).collect(),
            6 | 8 => digits.chunks_exact(2).map(|pair| pair[0] * 16 + pair[1]).collect(),
            _ => return None,
        };
        let opacity = pairs.get(3).copied().unwrap_or(u8::MAX);
        Some(Colour { rgb: [pairs[0], pairs[1], pairs[2]], opacity })
    }

    /// The same colour, letting more through.
    pub(super) fn fainter(self, by: f32) -> Colour {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
        let opacity = (f32::from(self.opacity) * by.clamp(0.0, 1.0)).round() as u8;
        Colour { opacity, ..self }
    }

    /// Black or white, whichever can be read on it.
    pub(super) fn opposite(self) -> Colour {
        let [red, green, blue] = self.rgb.map(u32::from);
        let is_light = red * 299 + green * 587 + blue * 114 > 150_000;
        Colour { rgb: if is_light { [0; 3] } else { [255; 3] }, opacity: self.opacity }
    }
}

impl std::fmt::Display for Colour {
    /// As `#RRGGBBAA`, without the last two where nothing shines through.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.rgb;
        write!(f, "#{red:02X}{green:02X}{blue:02X}")?;
        if self.opacity < u8::MAX { write!(f, "{:02X}", self.opacity) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn every_way_to_write_a_colour() {
        let colour = |text| {
            Colour::parse(text).map(|Colour { rgb: [red, green, blue], opacity }| [red, green, blue, opacity])
        };
        assert_eq!(colour("#FF0000"), Some([255, 0, 0, 255]));
        assert_eq!(colour("#0f08"), Some([0, 255, 0, 136]));
        assert_eq!(colour(" #12345678 "), Some([0x12, 0x34, 0x56, 0x78]));
        assert_eq!(colour("Orange"), Some([255, 165, 0, 255]));
        for wrong in ["", "#", "#12", "#12345", "#gggggg", "reddish", "#ＦＦ0000"] {
            assert_eq!(colour(wrong), None, "{wrong}");
        }
    }
}
