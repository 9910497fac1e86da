//! A picture of the tests: gray, from a file beside this one.

use std::path::Path;

use ocr::{Image, Rect};

pub(crate) struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// Reads `pictures/<name>.pgm`.
    pub(crate) fn load(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/reading/pictures")
            .join(name)
            .with_extension("pgm");
        let bytes = std::fs::read(path).unwrap();
        let mut parts = bytes.splitn(4, |byte| *byte == b'\n');
        assert_eq!(parts.next(), Some(b"P5".as_slice()));
        let size = str::from_utf8(parts.next().unwrap()).unwrap();
        let (width, height) = size.split_once(' ').unwrap();
        assert_eq!(parts.next(), Some(b"255".as_slice()));
        let gray = parts.next().unwrap();
        Self::new(width.parse().unwrap(), height.parse().unwrap(), gray)
    }

    /// From gray bytes.
    pub(crate) fn new(width: u32, height: u32, gray: &[u8]) -> Self {
        Self { width, height, rgb: gray.iter().flat_map(|byte| [*byte; 3]).collect() }
    }

    pub(crate) fn image(&self) -> Image<'_> {
        Image::rgb(self.width, self.height, &self.rgb).unwrap()
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    pub(crate) fn height(&self) -> u32 {
        self.height
    }

    pub(crate) fn with_alpha(&self) -> Vec<u8> {
        self.rgb.chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 7]).collect()
    }

    /// How many pixels of the area are far from white.
    pub(crate) fn ink(&self, area: Rect) -> usize {
        let dark = |x: u32, y: u32| self.rgb[3 * (y * self.width + x) as usize] < 128;
        let (left, top) = (area.x.unsigned_abs(), area.y.unsigned_abs());
        let columns = left..left + area.width;
        (top..top + area.height).map(|y| columns.clone().filter(|x| dark(*x, y)).count()).sum()
    }
}
