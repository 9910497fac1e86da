//! Other sizes.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

use crate::pixels::{Layout, Picture};

impl Picture {
    /// The picture in another size; nothing becomes smaller than a pixel.
    pub fn scaled(&self, width: u32, height: u32) -> Picture {
        let (width, height) = (width.max(1), height.max(1));
        if (width, height) == (self.width(), self.height()) {
            return self.clone();
        }
        let kind = match self.layout() {
            Layout::Rgb => PixelType::U8x3,
            Layout::Rgba => PixelType::U8x4,
        };
        let mut target = Image::new(width, height, kind);
        let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
        let resized = ImageRef::new(self.width(), self.height(), self.bytes(), kind)
            .ok()
            .and_then(|source| Resizer::new().resize(&source, &mut target, &options).ok());
        // Both sizes are sound and both pictures are of one kind, so there is nothing that could fail.
        debug_assert!(resized.is_some());
        Picture::made(self.layout(), width, height, target.into_vec())
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

    #[test]
    fn the_colour_of_what_cannot_be_seen_does_not_bleed() {
        let bytes = [[255, 0, 0, 255], [0, 255, 0, 0]].concat().repeat(8);
        let picture = Picture::new(Layout::Rgba, 2, 8, bytes).expect("a picture");
        let small = picture.scaled(1, 4);
        assert!(small.bytes().chunks(4).all(|pixel| pixel[0] > 250 && pixel[1] < 5), "{:?}", small.bytes());
    }
}
