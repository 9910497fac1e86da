//! Pictures to read: a byte that names the language, width and height in two bytes each, then the pixels.

use fuzz::Random;
use ocr::Image;

const LANGUAGES: [&str; 4] = ["eng", "deu", "ron", "jpn"];
/// Larger ones only take longer.
const MOST_PIXELS: usize = 60_000;
/// How long a side may become.
const SIDES: [usize; 3] = [8, 300, 3_000];

/// A picture of any shape: noise, stripes, strokes like letters, or nearly nothing.
pub(crate) fn input(random: &mut Random) -> Vec<u8> {
    let (widest, tallest) = (SIDES[random.below(SIDES.len())], SIDES[random.below(SIDES.len())]);
    let width = 1 + random.below(widest);
    let height = 1 + random.below((MOST_PIXELS / width).clamp(1, tallest));
    let mut input = vec![random.byte()];
    for side in [width, height] {
        input.extend(u16::try_from(side).unwrap_or(u16::MAX).to_le_bytes());
    }
    let start = input.len();
    let background = [random.byte(), random.byte(), random.byte()];
    input.extend(background.iter().cycle().take(3 * width * height));
    let pixels = &mut input[start..];
    match random.below(4) {
        0 => pixels.iter_mut().for_each(|byte| *byte = random.byte()),
        1 => stripes(random, pixels, width),
        2 => strokes(random, pixels, width, height),
        _ => {
            for _ in 0..random.below(20) {
                pixels[random.below(3 * width * height)] = random.byte();
            }
        }
    }
    input
}

fn stripes(random: &mut Random, pixels: &mut [u8], width: usize) {
    let (across, down) = (1 + random.below(20), 1 + random.below(20));
    for (at, pixel) in pixels.as_chunks_mut::<3>().0.iter_mut().enumerate() {
        if (at % width / across + at / width / down) % 2 == 0 {
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
