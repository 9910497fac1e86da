//! Reads pages with plain `rten`, for `ocr/score.py`: `bench-rten MODELS PAGES READ`.
//!
//! MODELS holds the networks as they were published: `det.onnx`, `rec.onnx` and `dict.txt`. Each page is shown to the detector as
//! it is; what hangs together is a line; each line is shown to the recogniser at its height, and the best class of each step is
//! taken. Nothing is tuned: it is what a program gets that uses these files and this runtime and nothing else.

mod lines;
mod page;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io};

use rten::Model;
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use lines::{Area, lines};
use page::Page;

/// The height the recogniser was trained on, and the pixels a step of it stands for.
const HEIGHT: usize = 48;
const STEP: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<String> = env::args().skip(1).collect();
    let [models, pages, read] = folders.as_slice() else {
        return Err("name three folders: the models, the pages, and what is read".into());
    };
    let models = Path::new(models);
    let detector = Model::load_file(models.join("det.onnx"))?;
    let recogniser = Model::load_file(models.join("rec.onnx"))?;
    let dictionary = fs::read_to_string(models.join("dict.txt"))?;
    let dictionary: Vec<&str> = dictionary
        .trim_end_matches(['\r', '\n'])
        .split('\n')
        .map(|line| line.trim_end_matches('\r'))
        .collect();
    fs::create_dir_all(read)?;
    for path in pages_in(Path::new(pages))? {
        let file = fs::read(path.with_extension("ppm"))?;
        let page = Page::from_ppm(&file).ok_or("the picture is no PPM of 8 bits")?;
        let (processor, began) = (processor_time(), Instant::now());
        let mut regions = Vec::new();
        for area in detect(&detector, &page)? {
            regions.extend(recognise(&recogniser, &page, area, &dictionary)?);
        }
        let (wall, processor) = (began.elapsed().as_secs_f64(), processor_time() - processor);
        let result = json!({ "regions": regions, "ms": 1e3 * processor, "wall_ms": 1e3 * wall });
        fs::write(Path::new(read).join(path.file_name().ok_or("no name")?), result.to_string())?;
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

fn detect(detector: &Model, page: &Page) -> Result<Vec<Area>, Box<dyn Error>> {
    let (width, height) = (page.width.next_multiple_of(32), page.height.next_multiple_of(32));
    let deviation = [0.229, 0.224, 0.225];
    let mean = [0.485, 0.456, 0.406];
    let input = page.planes(Area::whole(width, height), width, height, |channel, byte| {
        (byte / 255.0 - mean[channel]) / deviation[channel]
    });
    let input = NdTensor::from_data([1, 3, height, width], input);
    let map: NdTensor<f32, 4> = detector.run_one(input.view().into(), None)?.try_into()?;
    Ok(lines(&map.to_vec(), width, height))
}

/// The words of a line.
fn recognise(
    recogniser: &Model,
    page: &Page,
    area: Area,
    dictionary: &[&str],
) -> Result<Vec<Value>, Box<dyn Error>> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pictures are small")]
    let width = ((HEIGHT as f32 * area.width / area.height).ceil() as usize).max(16).next_multiple_of(STEP);
    let input = page.planes(area, width, HEIGHT, |_, byte| byte / 127.5 - 1.0);
    let input: Tensor<f32> = NdTensor::from_data([1, 3, HEIGHT, width], input).into();
    let scores: NdTensor<f32, 3> = recogniser.run_one(input.view().into(), None)?.try_into()?;
    let [_, steps, classes] = scores.shape();
    let (values, mut words, mut last) = (scores.to_vec(), Vec::<(String, usize, usize)>::new(), 0);
    let mut is_open = false;
    for (step, scores) in values.chunks_exact(classes).enumerate() {
        let best = scores.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
        let best = best.map_or(0, |(class, _)| class);
        if best != last && best != 0 {
            // The class after the last character is a space.
            match dictionary.get(best - 1).copied().filter(|text| !text.trim().is_empty()) {
                Some(text) if is_open => {
                    if let Some((word, _, end)) = words.last_mut() {
                        word.push_str(text);
                        *end = step;
                    }
                }
                Some(text) => words.push((text.to_owned(), step, step)),
                None => {}
            }
            is_open = dictionary.get(best - 1).is_some_and(|text| !text.trim().is_empty());
        }
        last = best;
    }
    let at = |step: f32| area.x + area.width * step / steps as f32;
    Ok(words
        .into_iter()
        .map(|(text, from, to)| {
            let (left, right) = (at(from as f32 - 0.5).max(area.x), at(to as f32 + 1.5));
            json!({ "text": text, "x": left, "y": area.y, "w": right - left, "h": area.height })
        })
        .collect())
}

/// Seconds all threads of this process have worked.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
