//! Monitors, and which one is meant.

use geometry::Rect;

use super::{Error, MonitorInfo};

/// A monitor, and where it lies among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Monitor {
    pub(super) name: String,
    pub(super) place: Rect,
}

/// What others are told of some monitors.
pub(super) fn told(monitors: Vec<Monitor>, scale: f64) -> Vec<MonitorInfo> {
    let told = |(index, Monitor { name, place }): (usize, Monitor)| MonitorInfo {
        index,
        name,
        place,
        scale,
        primary: index == 0,
    };
    monitors.into_iter().enumerate().map(told).collect()
}

/// The monitor of this number, or which ones there are.
pub(super) fn choose(mut all: Vec<Monitor>, index: usize) -> Result<Monitor, Error> {
    if index < all.len() {
        return Ok(all.swap_remove(index));
    }
    let monitors = all.into_iter().map(|monitor| monitor.name).collect();
    Err(Error::NoMonitor { index, monitors })
}

/// The smallest rectangle with all monitors in it.
#[cfg(target_os = "linux")]
fn around(monitors: &[Monitor]) -> Option<Rect> {
    monitors.iter().map(|monitor| monitor.place).reduce(Rect::joined)
}

/// The pixels of one monitor in a picture of all of them. A desktop counts in units of its own; with a screen of many
/// pixels, the picture has more of them than the desktop has units.
#[cfg(target_os = "linux")]
pub(super) fn in_picture(
    monitors: Vec<Monitor>,
    index: usize,
    (width, height): (u32, u32),
) -> Result<Monitor, Error> {
    let whole = around(&monitors).ok_or_else(|| no_geometry("the desktop names none".to_owned()))?;
    let Monitor { name, place } = choose(monitors, index)?;
    // Half a unit of rounding on either side is no other shape.
    let (ours, theirs) =
        (u64::from(width) * u64::from(whole.height), u64::from(height) * u64::from(whole.width));
    if ours.abs_diff(theirs) > 2 * u64::from(whole.width.max(whole.height)) {
        let (wide, high) = (whole.width, whole.height);
        let reason = format!("together they are {wide}x{high} large, and the picture is {width}x{height}");
        return Err(no_geometry(reason));
    }
    let scaled = |units: i64, pixels: u32, all: u32| {
        let (pixels, all) = (i64::from(pixels), i64::from(all.max(1)));
        (units.saturating_mul(pixels) + all / 2) / all
    };
    let (left, top) = (i64::from(place.x) - i64::from(whole.x), i64::from(place.y) - i64::from(whole.y));
    let (right, bottom) = (left + i64::from(place.width), top + i64::from(place.height));
    let place = Rect::from_edges(
        scaled(left, width, whole.width),
        scaled(top, height, whole.height),
        scaled(right, width, whole.width),
        scaled(bottom, height, whole.height),
    );
    let place = place.ok_or_else(|| no_geometry(format!("`{name}` has no pixels")))?;
    Ok(Monitor { name, place })
}

#[cfg(target_os = "linux")]
fn no_geometry(reason: String) -> Error {
    Error::NoGeometry { reason }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use geometry::Rect;

    use super::{Error, Monitor, in_picture};

    fn desk() -> Vec<Monitor> {
        let monitor = |name: &str, x, y, width, height| Monitor {
            name: name.to_owned(),
            place: Rect { x, y, width, height },
        };
        vec![monitor("a", -1280, 0, 1280, 720), monitor("b", 0, -100, 1920, 1080)]
    }

    fn place(index: usize, size: (u32, u32)) -> Result<Rect, Error> {
        in_picture(desk(), index, size).map(|monitor| monitor.place)
    }

    #[test]
    fn a_monitor_is_found_in_a_picture_of_all() {
        assert_eq!(place(0, (3200, 1080)).expect("there"), Rect { x: 0, y: 100, width: 1280, height: 720 });
        assert_eq!(place(1, (3200, 1080)).expect("there"), Rect { x: 1280, y: 0, width: 1920, height: 1080 });
    }

    #[test]
    fn a_picture_may_have_more_pixels_than_the_desktop_has_units() {
        assert_eq!(place(0, (4800, 1620)).expect("there"), Rect { x: 0, y: 150, width: 1920, height: 1080 });
    }

    #[test]
    fn a_picture_of_something_else_is_not_cut() {
        assert!(matches!(place(0, (1920, 1080)), Err(Error::NoGeometry { .. })));
        assert!(matches!(place(2, (3200, 1080)), Err(Error::NoMonitor { index: 2, .. })));
        assert!(matches!(in_picture(Vec::new(), 0, (10, 10)), Err(Error::NoGeometry { .. })));
    }
}
