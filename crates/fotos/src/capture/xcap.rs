//! Pictures through the library `xcap`: on Windows and macOS, and on X11 for those who ask for it. It knows less than our
//! own way to an X server, and what it cannot do is refused rather than left out.

mod view;
mod windows;

use geometry::Rect;
use picture::{Layout, Picture, Pixels};
use xcap::XCapError;
use xcap::image::RgbaImage;

use self::view::{View, side_by_side};
use self::windows::{Known, choose};
use super::monitor::{Monitor, choose as choose_monitor};
use super::{
    Cursor, Error, Excluded, MonitorInfo, Screen, Shot, Target, Which, Window as WindowInfo, WindowState,
    Wish, part_of,
};

/// The desktop this process runs on. The library finds it by itself, and connects anew for everything it is asked.
#[derive(Debug, Default)]
pub(super) struct Xcap {
    /// The X11 display, for messages.
    display: Option<String>,
}

impl Screen for Xcap {
    fn capture(&mut self, wish: &Wish) -> Result<Shot, Error> {
        self.shoot(wish)
    }

    fn windows(&mut self, excluded: &Excluded) -> Result<Vec<WindowInfo>, Error> {
        let all = xcap::Window::all().map_err(unlisted)?;
        let mut told = Vec::new();
        for window in &all {
            let Known { number, title, class, is_minimised } = Known::of(window);
            if title.is_empty() || excluded.hides(&title, &class) {
                continue;
            }
            let state = if is_minimised { WindowState::Minimised } else { WindowState::Visible };
            told.push(WindowInfo {
                number,
                title,
                class,
                pid: window.pid().ok(),
                process: None,
                place: windows::place(window).map_err(refused)?,
                stacking: told.len(),
                focused: window.is_focused().unwrap_or_default(),
                state,
            });
        }
        Ok(told)
    }

    fn monitors(&mut self) -> Result<Vec<MonitorInfo>, Error> {
        let monitors = xcap::Monitor::all().map_err(|error| self.unreachable(&error))?;
        let scale = monitors.first().and_then(|monitor| monitor.scale_factor().ok()).unwrap_or(1.0);
        Ok(super::monitor::told(monitors.iter().map(named).collect::<Result<_, _>>()?, scale.into()))
    }
}

impl Xcap {
    /// On the display of this process, which has this name.
    #[cfg(target_os = "linux")]
    pub(super) fn on(display: String) -> Xcap {
        Xcap { display: Some(display) }
    }

    fn shoot(&self, wish: &Wish) -> Result<Shot, Error> {
        if wish.cursor == Cursor::Shown {
            return Err(Error::NoCursor { by: "`xcap`" });
        }
        let monitors = xcap::Monitor::all().map_err(|error| self.unreachable(&error))?;
        let (pixels, origin, subject, hidden) = match &wish.target {
            Target::Fullscreen => {
                let mut views = monitors.iter().map(view).collect::<Result<Vec<View>, Error>>()?;
                let hidden = black_out(&mut views, &wish.excluded)?;
                let origin = corner(&views);
                (side_by_side(views)?, origin, None, hidden)
            }
            Target::Monitor(index) => {
                let names = monitors.iter().map(named).collect::<Result<_, _>>()?;
                let name = choose_monitor(names, *index)?.name;
                let mut views =
                    monitors.iter().skip(*index).take(1).map(view).collect::<Result<Vec<_>, _>>()?;
                let hidden = black_out(&mut views, &wish.excluded)?;
                let origin = corner(&views);
                (side_by_side(views)?, origin, Some(name), hidden)
            }
            Target::Window(which) => window(which, &wish.excluded)?,
        };
        let part = part_of(pixels.frame(), wish.region)?;
        let pixels = if part == pixels.frame() { Some(pixels) } else { pixels.part(part) };
        let pixels = pixels.ok_or(Error::EmptyRegion { width: part.width, height: part.height })?;
        let origin = (origin.0.saturating_add(part.x), origin.1.saturating_add(part.y));
        Ok(Shot { origin, subject, hidden, ..Shot::of(pixels) })
    }

    /// The first question fails where nobody answers.
    fn unreachable(&self, error: &XCapError) -> Error {
        let reason = error.to_string();
        match &self.display {
            Some(display) => Error::Unreachable { display: display.clone(), reason },
            None => Error::Refused { reason },
        }
    }
}

fn named(monitor: &xcap::Monitor) -> Result<Monitor, Error> {
    Ok(Monitor { name: monitor.name().map_err(refused)?, place: place(monitor).map_err(refused)? })
}

fn view(monitor: &xcap::Monitor) -> Result<View, Error> {
    let pixels = pixels(monitor.capture_image().map_err(refused)?)?;
    let place = place(monitor).map_err(refused)?;
    // The sizes the library tells on X11 are rounded; those of the picture are not.
    let size = if cfg!(target_os = "linux") { pixels.frame() } else { place };
    Ok(View { pixels, place: Rect { width: size.width, height: size.height, ..place } })
}

/// Where a monitor is, in the units in which windows are placed. On X11 those are pixels, and the library divides only
/// the places of monitors by the scale of the desktop.
fn place(monitor: &xcap::Monitor) -> Result<Rect, XCapError> {
    let (x, y) = (monitor.x()?, monitor.y()?);
    let scale = if cfg!(target_os = "linux") { monitor.scale_factor()? } else { 1.0 };
    let unscaled = |at: i32| {
        #[allow(clippy::cast_possible_truncation, reason = "a number too large becomes the largest")]
        let pixels = (f64::from(at) * f64::from(scale)).round() as i32;
        pixels
    };
    Ok(Rect { x: unscaled(x), y: unscaled(y), width: monitor.width()?, height: monitor.height()? })
}

/// The upper left corner of some views.
fn corner(views: &[View]) -> (i32, i32) {
    views.iter().map(|view| view.place).reduce(Rect::joined).map_or((0, 0), |whole| (whole.x, whole.y))
}

/// By how much more is blackened, since the library rounds the places of monitors.
const ROUNDING: u32 = 4;

/// Blackens the windows nobody is to see, also where others lie in front of them: the library does not tell what can be
/// seen of a window. Returns how many there are in the pictures.
fn black_out(views: &mut [View], excluded: &Excluded) -> Result<usize, Error> {
    if excluded.is_empty() {
        return Ok(0);
    }
    let all = xcap::Window::all().map_err(unlisted)?;
    black_out_these(views, &all, excluded)
}

fn black_out_these(
    views: &mut [View],
    windows: &[xcap::Window],
    excluded: &Excluded,
) -> Result<usize, Error> {
    let mut hidden = 0;
    for window in windows {
        let known = Known::of(window);
        if known.is_minimised || !excluded.hides(&known.title, &known.class) {
            continue;
        }
        // Nothing is shown when it is not known what to hide.
        let place = windows::place(window).map_err(unlisted)?;
        let mut is_seen = false;
        for view in views.iter_mut() {
            is_seen |= view.black_out(place.grown(ROUNDING));
        }
        hidden += usize::from(is_seen);
    }
    Ok(hidden)
}

/// Pixels, where they are on the screen, the title of their window, and how many windows are black in them.
type Taken = (Pixels, (i32, i32), Option<String>, usize);

fn window(wanted: &Which, excluded: &Excluded) -> Result<Taken, Error> {
    let all = xcap::Window::all().map_err(refused)?;
    let (at, title) = choose(all.iter().map(Known::of).collect(), wanted, excluded)?;
    let Some((above, [window, ..])) = all.split_at_checked(at) else { return Err(Error::WindowGone) };
    let place = windows::place(window).map_err(refused)?;
    let pixels = pixels(window.capture_image().map_err(refused)?)?;
    let mut view = [View { pixels, place }];
    // An X server may show what lies on a window as if it were a part of it.
    let hidden = if cfg!(target_os = "linux") { black_out_these(&mut view, above, excluded)? } else { 0 };
    let [View { pixels, .. }] = view;
    Ok((pixels, (place.x, place.y), Some(title), hidden))
}

fn pixels(image: RgbaImage) -> Result<Pixels, Error> {
    let (width, height) = image.dimensions();
    Ok(Picture::new(Layout::Rgba, width, height, image.into_raw())?.into())
}

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn refused(error: XCapError) -> Error {
    Error::Refused { reason: error.to_string() }
}

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn unlisted(error: XCapError) -> Error {
    Error::Unlisted { reason: error.to_string() }
}
