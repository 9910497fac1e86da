//! Looks for personal data on pages for `ocr/score.py`: `redact_pages PAGES FOUND`.
//!
//! PAGES holds `<name>.json`, which tells where personal data is, and `<name>.ppm`; for each, FOUND gets a `<name>.json` with
//! the words, what was found to be personal, and what it cost. It is read and found as `auto_redact_pii` does.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io};

use geometry::Rect;
use ocr::{Image, Reader, unwatched};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<String> = env::args().skip(1).collect();
    let [pages, found] = folders.as_slice() else {
        return Err("name two folders: the pages, and what is found".into());
    };
    let (reader, language) = (Reader::new(), "eng".parse()?);
    fs::create_dir_all(found)?;
    for page in pages_in(Path::new(pages))? {
        let file = fs::read(page.with_extension("ppm"))?;
        let image = picture(&file).ok_or("the picture is no PPM of 8 bits")?;
        let began = Instant::now();
        let text = reader.read(image, &language, &mut unwatched)?;
        let detections: Vec<Value> = redaction::find(&text, &windows(&fs::read(&page)?)?)
            .into_iter()
            .map(|redaction::Detection { kind, place }| {
                json!({ "type": kind, "x": place.x, "y": place.y, "w": place.width, "h": place.height })
            })
            .collect();
        let took = 1e3 * began.elapsed().as_secs_f64();
        let regions: Vec<Value> = text
            .words()
            .map(|word| {
                let area = word.area;
                json!({ "text": word.text, "x": area.x, "y": area.y, "w": area.width, "h": area.height })
            })
            .collect();
        let result = json!({ "regions": regions, "detections": detections, "wall_ms": took });
        fs::write(Path::new(found).join(page.file_name().ok_or("no name")?), result.to_string())?;
    }
    Ok(())
}

/// The windows that are seen on a page, the uppermost first, as a screenshot knows them.
fn windows(truth: &[u8]) -> Result<Vec<Rect>, Box<dyn Error>> {
    let truth: Value = serde_json::from_slice(truth)?;
    let windows: Vec<(i32, i32, u32, u32)> =
        truth.get("windows").map_or(Ok(Vec::new()), |windows| serde_json::from_value(windows.clone()))?;
    Ok(windows.into_iter().map(|(x, y, width, height)| Rect { x, y, width, height }).collect())
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
