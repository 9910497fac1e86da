//! Pictures to read: a byte that names the language, width and height in two bytes each, then the pixels.

use fuzz::Random;
use ocr::Image;

const LANGUAGES: [&str; 4] = ["eng", "deu", "ron", "jpn"];
/// Larger ones only take longer.
const MOST_PIXELS: usize = 96 * 48;
/// How long a side may become.
const SIDES: [usize; 3] = [8, 96, 1_000];

/// Letters and digits of five pixels by seven, a row in each byte.
const LETTERS: [[u8; 7]; 8] = [
    [0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11],
    [0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f],
    [0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11],
    [0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f],
    [0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e],
    [0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04],
    [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
    [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
];

/// Half of the pictures have letters; the others are of any shape: noise, stripes, strokes, or nearly nothing.
pub(crate) fn input(random: &mut Random) -> Vec<u8> {
    let kind = random.below(8);
    let (width, height) = if kind >= 4 {
        (32 + random.below(65), 14 + random.below(35))
    } else {
        let (widest, tallest) = (SIDES[random.below(SIDES.len())], SIDES[random.below(SIDES.len())]);
        let width = 1 + random.below(widest);
        (width, 1 + random.below((MOST_PIXELS / width).clamp(1, tallest)))
    };
    let mut input = vec![random.byte()];
    for side in [width, height] {
        input.extend(u16::try_from(side).unwrap_or(u16::MAX).to_le_bytes());
    }
    let start = input.len();
    let background = [random.byte(), random.byte(), random.byte()];
    input.extend(background.iter().cycle().take(3 * width * height));
    let pixels = &mut input[start..];
    match kind {
        0 => pixels.iter_mut().for_each(|byte| *byte = random.byte()),
        1 => stripes(random, pixels, width),
        2 => strokes(random, pixels, width, height),
        3 => specks(random, pixels),
        _ => {
            letters(random, pixels, width, height);
            specks(random, pixels);
        }
    }
    input
}

fn specks(random: &mut Random, pixels: &mut [u8]) {
    for _ in 0..random.below(20) {
        let at = random.below(pixels.len());
        pixels[at] = random.byte();
    }
}

/// A line of letters with a gap here and there, as large as the picture allows.
fn letters(random: &mut Random, pixels: &mut [u8], width: usize, height: usize) {
    let size = 1 + random.below((height / 10).max(1));
    let (mut left, top) = (2 + random.below(8), 2 + random.below((height - 7 * size).max(3) - 2));
    while left + 5 * size < width {
        let letter = &LETTERS[random.below(LETTERS.len())];
        for (y, x) in (0..7 * size).flat_map(|y| (0..5 * size).map(move |x| (y, x))) {
            let at = 3 * ((top + y) * width + left + x);
            if let Some(pixel) = pixels.get_mut(at..at + 3)
                && letter[y / size] >> (4 - x / size) & 1 == 1
            {
                for byte in pixel {
                    *byte = !*byte;
                }
            }
        }
        left += size * if random.below(5) == 0 { 9 } else { 6 };
    }
}

fn stripes(random: &mut Random, pixels: &mut [u8], width: usize) {
    let (across, down) = (1 + random.below(20), 1 + random.below(20));
    for (at, pixel) in pixels.as_chunks_mut::<3>().0.iter_mut().enumerate() {
        if (at % width / across + at / width / down).is_multiple_of(2) {
            *pixel = [!pixel[0], !pixel[1], !pixel[2]];
        }
    }
}

/// Short lines upright and level, in rows, as letters have them.
fn strokes(random: &mut Random, pixels: &mut [u8], width: usize, height: usize) {
    let size = 4 + random.below(30);
    for _ in 0..random.below(400) {
        let (mut x, mut y) =
            (random.below(width), random.below(height) / size * size + random.below(size / 2));
        let upright = random.below(2) == 0;
        for _ in 0..random.below(size) {
            if x < width && y < height {
                let at = 3 * (y * width + x);
                pixels[at..at + 3].iter_mut().for_each(|byte| *byte = !*byte);
            }
            if upright { y += 1 } else { x += 1 }
        }
    }
}

/// The picture and its language, if there are as many bytes as it takes.
pub(crate) fn decode(input: &[u8]) -> Option<(Image<'_>, &'static str)> {
    let (language, rest) = input.split_first()?;
    let (width, rest) = rest.split_first_chunk()?;
    let (height, pixels) = rest.split_first_chunk()?;
    let [width, height] = [*width, *height].map(|side| u32::from(u16::from_le_bytes(side)));
    let image = Image::rgb(width, height, pixels).ok()?;
    Some((image, LANGUAGES[usize::from(*language) % LANGUAGES.len()]))
}
