//! Reads pages for `ocr/score.py`: `read_pages PAGES READ [--remember] [--tesseract]`.
//!
//! PAGES holds `<name>.json`, which tells the language, and `<name>.ppm`; for each, READ gets a `<name>.json` with the words
//! and what they cost. All pages are read by one engine, as a server does; loading it counts for the first page.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io};

use ocr::{Embedded, Engine, Image, Memory, Tesseract, Word, unwatched};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let (options, folders): (Vec<String>, Vec<String>) =
        env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let [pages, read] = folders.as_slice() else {
        return Err("name two folders: the pages, and what is read".into());
    };
    let has = |name: &str| options.iter().any(|option| option == name);
    let memory = if has("--remember") { Memory::Kept } else { Memory::Off };
    let engine: Box<dyn Engine> =
        if has("--tesseract") { Box::new(Tesseract::default()) } else { Box::new(Embedded::new(memory)) };
    fs::create_dir_all(read)?;
    for page in pages_in(Path::new(pages))? {
        let truth: Value = serde_json::from_slice(&fs::read(&page)?)?;
        let language = truth["lang"].as_str().ok_or("the page does not say its language")?;
        let file = fs::read(page.with_extension("ppm"))?;
        let image = picture(&file).ok_or("the picture is no PPM of 8 bits")?;
        let (processor, began) = (processor_time(), Instant::now());
        let text = engine.read(image, &language.parse()?, &mut unwatched)?;
        let (wall, processor) = (began.elapsed().as_secs_f64(), processor_time() - processor);
        let regions: Vec<Value> = text.words().map(region).collect();
        let result = json!({ "regions": regions, "ms": 1e3 * processor, "wall_ms": 1e3 * wall });
        fs::write(Path::new(read).join(page.file_name().ok_or("no name")?), result.to_string())?;
    }
    Ok(())
}

fn pages_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut pages: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    pages.sort_unstable();
    Ok(pages)
}

fn picture(file: &[u8]) -> Option<Image<'_>> {
    let mut parts = file.splitn(4, |byte| *byte == b'\n');
    let (kind, size, depth, pixels) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let (width, height) = str::from_utf8(size).ok()?.split_once(' ')?;
    if (kind, depth) != (b"P6", b"255") {
        return None;
    }
    Image::rgb(width.parse().ok()?, height.parse().ok()?, pixels).ok()
}

fn region(word: &Word) -> Value {
    let area = word.area;
    json!({
        "text": word.text, "x": area.x, "y": area.y, "w": area.width, "h": area.height, "confidence": word.confidence,
    })
}

/// Seconds all threads of this process have worked.
#[expect(clippy::cast_precision_loss, reason = "seconds of a benchmark")]
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
