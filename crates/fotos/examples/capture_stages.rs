//! What the parts of a screenshot cost, for `bench/fotos/bench.py`: `capture_stages DISPLAY` prints a JSON object of texts.

use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use fotos::capture::{Cursor, Excluded, Eye, Session, Target, Wish};
use picture::Effort;
use serde_json::{Map, Value};

const TIMES: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let display = std::env::args().nth(1).ok_or("name a display")?;
    let eye = Eye::new(Session { x11: Some(display), ..Session::default() });
    let excluded = Arc::new(Excluded::default());
    let wish = Wish { target: Target::Fullscreen, region: None, cursor: Cursor::Hidden, excluded };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let pixels = runtime.block_on(eye.capture(wish.clone()))?.pixels;
    let png = pixels.png(Effort::Fast)?;
    let mut stages = Map::new();
    let mut told = |name: &str, text: String| stages.insert(name.to_owned(), Value::from(text));
    told("a copy of the pixels (memcpy)", median(|| drop(black_box(black_box(pixels.bytes()).to_vec()))));
    told("capture", median(|| drop(black_box(runtime.block_on(eye.capture(wish.clone()))))));
    for (name, effort) in
        [("PNG, fast", Effort::Fast), ("PNG, flat", Effort::Flat), ("PNG, balanced", Effort::Balanced)]
    {
        let size = pixels.png(effort)?.len() / 1000;
        let time = median(|| drop(black_box(pixels.png(effort))));
        told(name, format!("{time}, {size} kB"));
    }
    told("base64 of the fast one", median(|| drop(black_box(base64_simd::STANDARD.encode_to_string(&png)))));
    writeln!(std::io::stdout(), "{}", Value::from(stages))?;
    Ok(())
}

/// The time in the middle, as text.
fn median(mut work: impl FnMut()) -> String {
    let mut times: Vec<f64> = (0..TIMES)
        .map(|_| {
            let began = Instant::now();
            work();
            1e3 * began.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    format!("{:.2} ms", times[TIMES / 2])
}
