//! Other sizes.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8x3, U8x4};
use fast_image_resize::{FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer};

use crate::pixels::{Layout, Picture};

impl Picture {
    /// The picture in another size; nothing becomes smaller than a pixel.
    pub fn scaled(&self, width: u32, height: u32) -> Picture {
        let (width, height) = (width.max(1), height.max(1));
        if (width, height) == (self.width(), self.height()) {
            return self.clone();
        }
        let mut bytes = vec![0; width as usize * height as usize * self.layout().bytes()];
        let resized = match self.layout() {
            Layout::Rgb => self.resize::<U8x3>(width, height, &mut bytes),
            Layout::Rgba => self.resize::<U8x4>(width, height, &mut bytes),
        };
        // Both sizes are sound and both pictures are of one kind, so there is nothing that could fail.
        debug_assert!(resized.is_some());
        Picture::made(self.layout(), width, height, bytes)
    }

    /// `Resizer::resize` would do for every layout, but has code for thirteen types of pixels, which takes long to compile.
    fn resize<P: PixelTrait>(&self, width: u32, height: u32, into: &mut [u8]) -> Option<()> {
        let source = TypedImageRef::<P>::from_buffer(self.width(), self.height(), self.bytes()).ok()?;
        let mut target = TypedImage::<P>::from_buffer(width, height, into).ok()?;
        let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
        Resizer::new().resize_typed(&source, &mut target, &options).ok()
    }

    /// The picture with no edge longer than `edge`, in its proportions. A picture that fits stays as it is.
    pub fn within(self, edge: u32) -> Picture {
        self.smaller(edge).unwrap_or(self)
    }

    /// As [`Picture::within`], or nothing where the picture fits.
    pub fn smaller(&self, edge: u32) -> Option<Picture> {
        let long = self.long_edge();
        if long <= edge {
            return None;
        }
        let share = |length: u32| {
            let scaled = (u64::from(length) * u64::from(edge) + u64::from(long) / 2) / u64::from(long);
            u32::try_from(scaled).unwrap_or(edge)
        };
        Some(self.scaled(share(self.width()), share(self.height())))
    }
}

#[cfg(test)]
mod tests {
    use zlib_rs::crc32::crc32;

    use crate::pixels::{Layout, Picture};

    #[test]
    fn proportions_are_kept_and_small_pictures_stay() {
        let picture = |width: u32, height: u32| {
            let bytes = vec![90; (width * height * 3) as usize];
            Picture::new(Layout::Rgb, width, height, bytes).expect("a picture")
        };
        let sizes = [((400, 100), (200, 50)), ((100, 400), (50, 200)), ((200, 200), (200, 200))];
        for ((width, height), expected) in sizes.into_iter().chain([((1000, 1), (200, 1))]) {
            let scaled = picture(width, height).within(200);
            assert_eq!((scaled.width(), scaled.height()), expected);
            assert!(scaled.bytes().iter().all(|byte| *byte == 90));
        }
    }

    /// A picture with edges, gradients and every opacity, in a size that no vector register divides.
    fn pattern(layout: Layout) -> Picture {
        let bytes = (0..211 * 97 * layout.bytes()).map(|at| (at * at / 7 + at * 31) % 251);
        let bytes = bytes.map(|byte| u8::try_from(byte).expect("a byte")).collect();
        Picture::new(layout, 211, 97, bytes).expect("a picture")
    }

    /// The sums were taken from `Resizer::resize`, which takes pixels of any type.
    #[test]
    fn pixels_are_those_of_the_general_resizer() {
        let sums = [Layout::Rgb, Layout::Rgba].map(|layout| {
            let sizes = [(64, 33), (1, 1), (400, 130)];
            sizes.map(|(width, height)| crc32(0, pattern(layout).scaled(width, height).bytes()))
        });
        assert_eq!(
            sums,
            [[424_524_323, 390_932_523, 2_414_275_814], [2_435_839_538, 2_277_830_303, 3_743_693_887]]
        );
    }

    #[test]
    fn the_colour_of_what_cannot_be_seen_does_not_bleed() {
        let bytes = [[255, 0, 0, 255], [0, 255, 0, 0]].concat().repeat(8);
        let picture = Picture::new(Layout::Rgba, 2, 8, bytes).expect("a picture");
        let small = picture.scaled(1, 4);
        assert!(small.bytes().chunks(4).all(|pixel| pixel[0] > 250 && pixel[1] < 5), "{:?}", small.bytes());
    }
}
