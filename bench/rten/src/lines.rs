//! From the map of a detector to lines, as its authors do it: what hangs together, made larger by a share of its size.

/// A part of a picture.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Area {
    pub(crate) fn whole(width: usize, height: usize) -> Area {
        Area { x: 0.0, y: 0.0, width: width as f32, height: height as f32 }
    }
}

/// A pixel more likely than this is text, and a line must be this likely throughout.
const LIKELY: f32 = 0.3;
const SURE: f32 = 0.5;
/// How much larger a line is than what the detector marks.
const LARGER: f32 = 1.6;

pub(crate) fn lines(map: &[f32], width: usize, height: usize) -> Vec<Area> {
    let (mut seen, mut waiting, mut lines) = (vec![false; map.len()], Vec::new(), Vec::new());
    for start in 0..map.len() {
        if seen[start] || map[start] <= LIKELY {
            continue;
        }
        seen[start] = true;
        waiting.push(start);
        let (mut left, mut top, mut right, mut bottom) = (width, height, 0, 0);
        let (mut sum, mut count) = (0.0, 0.0);
        while let Some(at) = waiting.pop() {
            let (x, y) = (at % width, at / width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
            sum += map[at];
            count += 1.0;
            let beside = [
                (x > 0).then(|| at - 1),
                (x + 1 < width).then(|| at + 1),
                (y > 0).then(|| at - width),
                (y + 1 < height).then(|| at + width),
            ];
            for next in beside.into_iter().flatten() {
                if !seen[next] && map[next] > LIKELY {
                    seen[next] = true;
                    waiting.push(next);
                }
            }
        }
        let (wide, high) = ((right - left + 1) as f32, (bottom - top + 1) as f32);
        if wide.min(high) >= 3.0 && sum / count >= SURE {
            let more = wide * high * LARGER / (2.0 * (wide + high));
            lines.push(Area {
                x: left as f32 - more,
                y: top as f32 - more,
                width: wide + 2.0 * more,
                height: high + 2.0 * more,
            });
        }
    }
    lines
}
