//! How an X server lays out pixels, and the way from there to red, green and blue.

use picture::Pixels;
use x11rb::protocol::xproto::{ImageOrder, Setup, VisualClass, Visualid, Visualtype};

use crate::capture::Error;

/// How many bytes a pixel of a picture takes.
const BYTES: usize = 3;

/// The layout of the pixels of one drawable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    bytes_per_pixel: usize,
    /// Rows start at a multiple of this many bytes.
    pad: usize,
    big_endian: bool,
    red: Channel,
    green: Channel,
    blue: Channel,
}

/// Where one colour is in a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Channel {
    shift: u32,
    bits: u32,
}

impl Channel {
    fn new(mask: u32) -> Channel {
        Channel { shift: mask.trailing_zeros() % 32, bits: mask.count_ones() }
    }

    /// The colour in the full range of a byte, whatever range the server has.
    fn of(self, pixel: u32) -> u8 {
        if self.bits == 0 {
            return 0;
        }
        let most = u64::MAX >> (64 - self.bits.min(32));
        let value = u64::from(pixel >> self.shift) & most;
        u8::try_from(value * 255 / most).unwrap_or(u8::MAX)
    }
}

/// What nearly every screen has: blue, green, red and a byte that means nothing.
const USUAL: (Channel, Channel, Channel) =
    (Channel { shift: 16, bits: 8 }, Channel { shift: 8, bits: 8 }, Channel { shift: 0, bits: 8 });

impl Format {
    /// The layout of what has this depth and visual.
    pub(super) fn of(setup: &Setup, depth: u8, visual: Visualid) -> Result<Format, Error> {
        let format = setup.pixmap_formats.iter().find(|format| format.depth == depth);
        let bits = format.map_or(0, |format| format.bits_per_pixel);
        let visual = visual_of(setup, visual)
            .filter(|visual| matches!(visual.class, VisualClass::TRUE_COLOR | VisualClass::DIRECT_COLOR));
        match (format, visual, bits) {
            (Some(format), Some(visual), 16 | 24 | 32) => Ok(Format {
                bytes_per_pixel: usize::from(bits / 8),
                pad: usize::from(format.scanline_pad / 8).max(1),
                big_endian: setup.image_byte_order == ImageOrder::MSB_FIRST,
                red: Channel::new(visual.red_mask),
                green: Channel::new(visual.green_mask),
                blue: Channel::new(visual.blue_mask),
            }),
            _ => Err(Error::Format { depth, bits }),
        }
    }

    /// How many bytes a picture of this size takes.
    pub(super) fn length(self, width: u16, height: u16) -> usize {
        self.stride(width) * usize::from(height)
    }

    fn stride(self, width: u16) -> usize {
        (usize::from(width) * self.bytes_per_pixel).next_multiple_of(self.pad)
    }

    /// Reads a picture in one pass.
    pub(super) fn read(self, bytes: &[u8], width: u16, height: u16) -> Result<Pixels, Error> {
        let row_length = usize::from(width) * BYTES;
        // Row by row, so that a large piece of memory is written once and not cleared before.
        let mut rgb = Vec::with_capacity(row_length * usize::from(height));
        let mut row = vec![0; row_length];
        let used = usize::from(width) * self.bytes_per_pixel;
        let from = bytes.chunks_exact(self.stride(width).max(1)).filter_map(|row| row.get(..used));
        let is_usual =
            (self.red, self.green, self.blue) == USUAL && self.bytes_per_pixel == 4 && !self.big_endian;
        for from in from.take(height.into()) {
            if is_usual {
                read_usual(from, &mut row);
            } else {
                self.read_any(from, &mut row);
            }
            rgb.extend_from_slice(&row);
        }
        if bytes.len() < self.length(width, height) {
            return Err(Error::Refused {
                reason: format!("it sent {} bytes of a larger picture", bytes.len()),
            });
        }
        Ok(Pixels::new(width.into(), height.into(), rgb)?)
    }

    fn read_any(self, from: &[u8], to: &mut [u8]) {
        for (from, to) in from.chunks_exact(self.bytes_per_pixel).zip(to.chunks_exact_mut(BYTES)) {
            let join = |pixel: u32, byte: &u8| (pixel << 8) | u32::from(*byte);
            let pixel =
                if self.big_endian { from.iter().fold(0, join) } else { from.iter().rev().fold(0, join) };
            to.copy_from_slice(&[self.red.of(pixel), self.green.of(pixel), self.blue.of(pixel)]);
        }
    }
}

/// Eight pixels at a time: four words in, three words out.
fn read_usual(from: &[u8], to: &mut [u8]) {
    let (eights, rest) = from.as_chunks::<32>();
    let (outs, rest_to) = to.as_chunks_mut::<24>();
    for (eight, out) in eights.iter().zip(outs) {
        let (pairs, _) = eight.as_chunks::<8>();
        let &[a, b, c, d] = pairs else { continue };
        let [a, b, c, d] = [a, b, c, d].map(two_pixels);
        let words = [a | (b << 48), (b >> 16) | (c << 32), (c >> 32) | (d << 16)];
        let (bytes, _) = out.as_chunks_mut::<8>();
        for (bytes, word) in bytes.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }
    for (from, to) in rest.chunks_exact(4).zip(rest_to.chunks_exact_mut(BYTES)) {
        if let [blue, green, red, _] = *from {
            to.copy_from_slice(&[red, green, blue]);
        }
    }
}

/// Red, green and blue of two pixels in the six lower bytes, in this order.
fn two_pixels(pair: [u8; 8]) -> u64 {
    // Turned around, the second pixel comes first; each has its meaningless byte at the front.
    let turned = u64::from_be_bytes(pair);
    (turned >> 40) | ((turned & 0xffff_ff00) << 16)
}

fn visual_of(setup: &Setup, id: Visualid) -> Option<Visualtype> {
    let depths = setup.roots.iter().flat_map(|screen| &screen.allowed_depths);
    depths.flat_map(|depth| &depth.visuals).find(|visual| visual.visual_id == id).copied()
}

#[cfg(test)]
mod tests {
    use super::{Channel, Format};

    fn usual() -> Format {
        Format {
            bytes_per_pixel: 4,
            pad: 4,
            big_endian: false,
            red: Channel::new(0x00ff_0000),
            green: Channel::new(0xff00),
            blue: Channel::new(0xff),
        }
    }

    #[test]
    fn the_usual_layout_of_any_width() {
        for width in 1..28_u8 {
            let pixels: Vec<[u8; 3]> = (0..width * 2).map(|n| [n, 100 + n, 200 + n]).collect();
            let from: Vec<u8> =
                pixels.iter().flat_map(|[red, green, blue]| [*blue, *green, *red, 77]).collect();
            let read = usual().read(&from, width.into(), 2).expect("a picture");
            assert_eq!(read.bytes(), pixels.as_flattened(), "{width}");
        }
    }

    #[test]
    fn other_layouts() {
        let high = Format {
            bytes_per_pixel: 2,
            red: Channel::new(0xf800),
            green: Channel::new(0x07e0),
            blue: Channel::new(0x1f),
            ..usual()
        };
        // One pixel and two bytes of padding.
        let read = high.read(&[0x1f, 0xf8, 0, 0], 1, 1).expect("a picture");
        assert_eq!(read.bytes(), [255, 0, 255]);
        let deep = Format {
            red: Channel::new(0x3ff0_0000),
            green: Channel::new(0x000f_fc00),
            blue: Channel::new(0x3ff),
            big_endian: true,
            ..usual()
        };
        let pixel = (1023_u32 << 20) | (512 << 10);
        assert_eq!(deep.read(&pixel.to_be_bytes(), 1, 1).expect("a picture").bytes(), [255, 127, 0]);
    }

    #[test]
    fn too_few_bytes_are_refused() {
        assert!(usual().read(&[0; 15], 2, 2).is_err());
    }
}
