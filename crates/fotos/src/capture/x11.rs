//! Pictures from an X server, on its wire protocol: no system library is needed.

mod atoms;
mod covered;
mod cursor;
mod fault;
mod format;
mod layers;
mod monitors;
mod repaint;
mod segment;
mod window;
mod windows;

use std::collections::HashMap;

use geometry::{Rect, without};
use picture::Pixels;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{Atom, ConnectionExt, Drawable, ImageFormat, Visualid, Window};
use x11rb::rust_connection::RustConnection;

use super::{
    Cursor, Error, Excluded, MonitorInfo, Screen, Shot, Target, Window as WindowInfo, Wish, part_of,
};
use atoms::Atoms;
use fault::Fault;
use format::Format;
use repaint::Watched;
use segment::Segment;
use windows::{Layer, Windows};

/// A connection to an X server, and the memory shared with it.
pub(super) struct X11 {
    connection: RustConnection,
    atoms: Atoms,
    root: Window,
    root_visual: Visualid,
    /// The selection that a compositing manager owns.
    compositing: Atom,
    segment: Option<Segment>,
    sharing: Sharing,
}

/// Displays are TCP ports from 6000 on.
const HIGHEST_DISPLAY: u16 = u16::MAX - 6_000;

/// Whether the server and we can share memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sharing {
    Possible,
    /// It was tried: the server is on another machine, or old.
    Impossible,
}

/// A part of a drawable, in the numbers of the protocol.
#[derive(Debug, Clone, Copy)]
struct Area {
    x: i16,
    y: i16,
    width: u16,
    height: u16,
}

impl Area {
    fn new(rect: Rect) -> Result<Area, Error> {
        let Rect { x, y, width, height } = rect;
        let fitting = || {
            Some((x.try_into().ok()?, y.try_into().ok()?, width.try_into().ok()?, height.try_into().ok()?))
        };
        let (x, y, width, height) = fitting().ok_or(Error::TooLarge { width, height })?;
        Ok(Area { x, y, width, height })
    }
}

impl Screen for X11 {
    fn capture(&mut self, wish: &Wish) -> Result<Shot, Error> {
        let shot = match &wish.target {
            Target::Fullscreen => self.whole_root().and_then(|whole| self.shoot_root(whole, None, wish)),
            Target::Monitor(index) => monitors::monitor(&self.connection, self.root, *index)
                .and_then(|monitor| self.shoot_root(monitor.place, Some(monitor.name), wish)),
            Target::Window(which) => self.shoot_window(which, wish),
        };
        Ok(shot?)
    }

    fn windows(&mut self, excluded: &Excluded) -> Result<Vec<WindowInfo>, Error> {
        Ok(self.queries().told(excluded)?)
    }

    fn monitors(&mut self) -> Result<Vec<MonitorInfo>, Error> {
        let monitors = monitors::monitors(&self.connection, self.root)?;
        Ok(super::monitor::told(monitors, self.queries().scale()?))
    }
}

impl X11 {
    /// Connects to a display such as `:0`.
    pub(super) fn connect(display: &str) -> Result<X11, Error> {
        let unreachable = |reason: &dyn std::fmt::Display| Error::Unreachable {
            display: display.to_owned(),
            reason: reason.to_string(),
        };
        // x11rb adds the number to a port, and breaks down over one that is too large.
        let number = display.rsplit(':').next().and_then(|rest| rest.split('.').next()?.parse::<u16>().ok());
        if number.is_none_or(|number| number > HIGHEST_DISPLAY) {
            return Err(unreachable(&"no display has this name"));
        }
        let (connection, number) =
            RustConnection::connect(Some(display)).map_err(|error| unreachable(&error))?;
        let screen = connection.setup().roots.get(number);
        let screen = screen.ok_or_else(|| unreachable(&"it has no screen of this number"))?;
        let (root, root_visual) = (screen.root, screen.root_visual);
        let atoms = Atoms::new(&connection).map_err(Fault::from).map_err(Error::from)?;
        let atoms = atoms.reply().map_err(Fault::from).map_err(Error::from)?;
        let compositing = intern(&connection, &format!("_NET_WM_CM_S{number}"))?;
        let (segment, sharing) = (None, Sharing::Possible);
        Ok(X11 { connection, atoms, root, root_visual, compositing, segment, sharing })
    }

    fn queries(&self) -> Windows<'_> {
        Windows { connection: &self.connection, atoms: &self.atoms, root: self.root }
    }

    fn whole_root(&self) -> Result<Rect, Fault> {
        self.queries().place(self.root)
    }

    /// A part of the root window, where all monitors lie beside each other.
    fn shoot_root(&mut self, whole: Rect, subject: Option<String>, wish: &Wish) -> Result<Shot, Fault> {
        let part = part_of(whole, wish.region)?;
        let (root, visual) = (self.root, self.root_visual);
        // Nothing moves between the picture and the look at what has to be hidden in it.
        let look = |held: &mut X11, layers: Vec<Layer>, watched: &[Watched]| -> Result<_, Fault> {
            let mut pixels = held.picture(root, visual, part)?;
            let hidden = held.hide(&mut pixels, part, &layers, watched)?;
            Ok((pixels, layers, hidden))
        };
        let first = self.holding_still(|held| {
            let layers = held.queries().layers(&wish.excluded)?;
            let watched = held.have_painted(&layers, part)?;
            if watched.is_empty() {
                look(held, layers, &[]).map(Look::Done)
            } else {
                Ok(Look::Awaited(watched))
            }
        })?;
        let (mut pixels, layers, hidden) = match first {
            Look::Done(done) => done,
            Look::Awaited(mut watched) => {
                let done = repaint::wait(self, &mut watched).and_then(|()| {
                    self.holding_still(|held| {
                        let layers = held.queries().layers(&wish.excluded)?;
                        look(held, layers, &watched)
                    })
                });
                watched.iter().try_for_each(|one| one.end(self))?;
                done?
            }
        };
        if wish.cursor == Cursor::Shown {
            cursor::draw(&self.connection, &mut pixels, part)?;
        }
        let seen = layers.iter().rev().filter_map(|layer| layer.rect.common(part));
        let windows = seen.map(|rect| rect.seen_from(part.x, part.y)).collect();
        Ok(Shot { subject, hidden, windows, origin: (part.x, part.y), ..Shot::of(pixels) })
    }

    /// Has windows above excluded ones paint themselves, where the pixels there may be those of the excluded ones.
    fn have_painted(&self, layers: &[Layer], part: Rect) -> Result<Vec<Watched>, Fault> {
        let doubtful = doubtful(layers, part);
        let is_in_vain = doubtful.is_empty() || doubtful.len() > MOST_COVERS;
        if is_in_vain || self.is_composited()? || !repaint::is_possible(&self.connection)? {
            return Ok(Vec::new());
        }
        let watch = |(window, wanted)| Watched::new(self, window, wanted);
        let watched = doubtful.into_iter().map(watch).collect::<Result<Vec<_>, Fault>>()?;
        watched.iter().try_for_each(|one| one.ask(self))?;
        Ok(watched)
    }

    /// Blackens what can be seen of excluded windows, and counts them.
    fn hide(
        &mut self,
        pixels: &mut Pixels,
        part: Rect,
        layers: &[Layer],
        watched: &[Watched],
    ) -> Result<usize, Fault> {
        if !layers.iter().any(|layer| layer.excluded) {
            return Ok(0);
        }
        if !self.is_composited()? {
            let painted = watched.iter().map(|one| ((one.top, one.frame), one.painted())).collect();
            return Ok(black_out(pixels, part, layers, &Blending::None { painted }));
        }
        // A compositing manager makes windows transparent as it likes. So what lies above an excluded one is shown as it is by
        // itself.
        let covers = covers(layers, part);
        if covers.len() > MOST_COVERS {
            let reason = format!("more than {MOST_COVERS} windows cover others that are excluded");
            return Err(Error::Unlisted { reason }.into());
        }
        for (window, rect) in covers {
            if let Some(own) = covered::kept(self, window, rect)? {
                put(&own, rect.seen_from(part.x, part.y), pixels);
            }
        }
        Ok(black_out(pixels, part, layers, &Blending::Possible))
    }

    /// Whether every window has pixels of its own, which somebody puts together.
    fn is_composited(&self) -> Result<bool, Fault> {
        let owner = self.connection.get_selection_owner(self.compositing)?.reply()?.owner;
        Ok(owner != x11rb::NONE && covered::is_possible(&self.connection)?)
    }

    /// Does something while the server serves nobody else.
    fn holding_still<T>(&mut self, work: impl FnOnce(&mut X11) -> Result<T, Fault>) -> Result<T, Fault> {
        self.connection.grab_server()?;
        let done = work(self);
        self.connection.ungrab_server()?;
        self.connection.flush()?;
        done
    }

    fn visual_of(&self, window: Window) -> Result<Visualid, Fault> {
        Ok(self.connection.get_window_attributes(window)?.reply()?.visual)
    }

    /// Pixels of a drawable, through shared memory where that is possible.
    fn picture(&mut self, drawable: Drawable, visual: Visualid, part: Rect) -> Result<Pixels, Fault> {
        let area = Area::new(part)?;
        let Area { x, y, width, height } = area;
        self.share(usize::from(width) * usize::from(height) * MOST_BYTES_PER_PIXEL);
        let setup = self.connection.setup();
        if let Some(segment) = &self.segment {
            let depth = segment.fill(&self.connection, drawable, area)?;
            return Ok(Format::of(setup, depth, visual)?.read(segment.bytes(), width, height)?);
        }
        let everything = u32::MAX;
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, drawable, x, y, width, height, everything)?
            .reply()?;
        Ok(Format::of(setup, image.depth, visual)?.read(&image.data, width, height)?)
    }

    /// Makes sure that at least this many bytes are shared.
    fn share(&mut self, length: usize) {
        let is_enough = self.segment.as_ref().is_some_and(|segment| segment.length() >= length);
        if is_enough || self.sharing == Sharing::Impossible {
            return;
        }
        if let Some(small) = self.segment.take() {
            small.detach(&self.connection);
        }
        self.segment = Segment::new(&self.connection, length);
        if self.segment.is_none() {
            self.sharing = Sharing::Impossible;
        }
    }
}

/// How far a picture of the root is after the first look.
enum Look {
    /// It is there, with what lies on the root and how many windows were hidden.
    Done((Pixels, Vec<Layer>, usize)),
    /// Windows that lie above excluded ones have to paint themselves first.
    Awaited(Vec<Watched>),
}

/// The own pixels of more windows are not fetched for one picture: nothing else happens on the screen meanwhile.
const MOST_COVERS: usize = 512;

/// What a pixel takes at most.
const MOST_BYTES_PER_PIXEL: usize = 4;

fn intern(connection: &RustConnection, name: &str) -> Result<Atom, Error> {
    let asked = connection.intern_atom(false, name.as_bytes()).map_err(Fault::from);
    Ok(asked.and_then(|asked| Ok(asked.reply()?))?.atom)
}

/// Whether what lies below a window may shine through it, whatever the window says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Blending {
    /// It does not, where a window was painted since it was asked to: by the window and where it was then.
    None {
        painted: HashMap<(Window, Rect), Vec<Rect>>,
    },
    Possible,
}

impl Blending {
    /// Where nothing of what lies below this window is to be seen.
    fn solid(&self, above: &Layer) -> Vec<Rect> {
        match self {
            Blending::Possible => above.opaque.clone(),
            Blending::None { .. } if above.popup => Vec::new(),
            Blending::None { painted } => {
                let painted = painted.get(&(above.id, above.rect)).map_or(&[][..], Vec::as_slice);
                let common =
                    |opaque: &Rect| painted.iter().filter_map(|one| one.common(*opaque)).collect::<Vec<_>>();
                above.opaque.iter().flat_map(common).collect()
            }
        }
    }
}

/// Where opaque windows lie above excluded ones, the lowest first.
fn covers(layers: &[Layer], part: Rect) -> Vec<(Window, Rect)> {
    let mut covers = Vec::new();
    for (at, above) in layers.iter().enumerate().filter(|(_, layer)| !layer.excluded) {
        for secret in layers[..at].iter().filter(|layer| layer.excluded) {
            let wanted = secret.rect.common(part);
            let shared = above.opaque.iter().filter_map(|rect| rect.common(wanted?));
            covers.extend(shared.map(|rect| (above.id, rect)));
        }
    }
    covers
}

/// What is seen of windows above excluded ones, by window: there they have to paint themselves.
fn doubtful(layers: &[Layer], part: Rect) -> Vec<(Window, Vec<Rect>)> {
    let mut doubtful = Vec::new();
    for (at, above) in layers.iter().enumerate().filter(|(_, layer)| !layer.excluded && !layer.popup) {
        let secrets = layers[..at].iter().filter(|layer| layer.excluded);
        let shared = secrets
            .filter_map(|secret| secret.rect.common(part))
            .flat_map(|secret| above.opaque.iter().filter_map(move |rect| rect.common(secret)));
        let upper = layers[at + 1..].iter().flat_map(|upper| &upper.opaque);
        let seen = upper.fold(shared.collect(), |seen: Vec<Rect>, hole| without(&seen, *hole));
        if !seen.is_empty() {
            doubtful.push((above.id, seen));
        }
    }
    doubtful
}

/// Blackens what can be seen of excluded windows, and counts them.
fn black_out(pixels: &mut Pixels, part: Rect, layers: &[Layer], blending: &Blending) -> usize {
    let mut hidden = 0;
    for (at, layer) in layers.iter().enumerate().filter(|(_, layer)| layer.excluded) {
        let mut seen = vec![layer.rect];
        for above in layers[at + 1..].iter().filter(|above| !above.excluded) {
            let holes = blending.solid(above);
            let opaque = |seen: Vec<Rect>| holes.iter().fold(seen, |seen, hole| without(&seen, *hole));
            seen = opaque(seen);
            // What can be seen through the uppermost window is not known.
            if let (Blending::Possible, Some(shared)) = (blending, above.rect.common(layer.rect)) {
                let sheer = opaque(vec![shared]);
                seen = sheer.iter().fold(seen, |seen, rect| without(&seen, *rect));
                seen.extend(sheer);
            }
        }
        let seen: Vec<Rect> = seen.into_iter().filter_map(|rect| rect.common(part)).collect();
        hidden += usize::from(!seen.is_empty());
        for rect in seen {
            pixels.fill(rect.seen_from(part.x, part.y), [0, 0, 0]);
        }
    }
    hidden
}

/// Puts a picture in its place in another.
fn put(own: &Pixels, place: Rect, pixels: &mut Pixels) {
    let rows = own.rows(own.frame()).zip(pixels.rows_mut(place));
    rows.filter(|(from, to)| from.len() == to.len()).for_each(|(from, to)| to.copy_from_slice(from));
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use picture::Pixels;

    use super::windows::Layer;
    use super::{Blending, HashMap, black_out, covers, doubtful};

    fn rect(x: i32, y: i32, width: u32, height: u32) -> Rect {
        Rect { x, y, width, height }
    }

    #[test]
    fn only_what_shows_of_an_excluded_window_is_blackened() {
        let layer = |id, rect: Rect, opaque, excluded| Layer { id, rect, opaque, excluded, popup: false };
        let layers = [
            layer(1, rect(0, 0, 10, 10), vec![rect(0, 0, 10, 10)], false),
            layer(2, rect(2, 2, 6, 6), vec![rect(2, 2, 6, 6)], true),
            layer(3, rect(2, 2, 2, 2), vec![rect(2, 2, 2, 2)], false),
            // Something shines through this one.
            layer(4, rect(6, 6, 4, 4), Vec::new(), false),
        ];
        let mut pixels = Pixels::plain(9, 9, [7; 3]);
        // The third one painted a half of what it hides.
        assert_eq!(doubtful(&layers, rect(1, 1, 9, 9)), [(3, vec![rect(2, 2, 2, 2)])]);
        let painted = HashMap::from([((3, rect(2, 2, 2, 2)), vec![rect(2, 2, 2, 1)])]);
        let blending = Blending::None { painted };
        assert_eq!(black_out(&mut pixels, rect(1, 1, 9, 9), &layers, &blending), 1);
        let black = [(3, 1), (1, 3), (1, 2), (2, 2), (6, 6)].map(|(x, y)| pixels.at(x, y));
        assert_eq!(black, [[0; 3]; 5]);
        let seen = [(0, 0), (1, 1), (2, 1), (7, 7)].map(|(x, y)| pixels.at(x, y));
        assert_eq!(seen, [[7; 3]; 4]);
    }

    #[test]
    fn where_windows_are_blended_only_the_uppermost_one_counts() {
        let layer = |id, rect: Rect, opaque, excluded| Layer { id, rect, opaque, excluded, popup: false };
        let layers = [
            layer(1, rect(0, 0, 8, 8), vec![rect(0, 0, 8, 8)], true),
            layer(2, rect(0, 0, 8, 4), vec![rect(0, 0, 8, 4)], false),
            layer(3, rect(0, 0, 4, 8), Vec::new(), false),
        ];
        assert_eq!(covers(&layers, rect(2, 2, 6, 6)), [(2, rect(2, 2, 6, 2))]);
        let mut pixels = Pixels::plain(8, 8, [7; 3]);
        assert_eq!(black_out(&mut pixels, rect(0, 0, 8, 8), &layers, &Blending::Possible), 1);
        let seen = [(1, 1), (6, 1), (1, 6), (6, 6)].map(|(x, y)| pixels.at(x, y));
        assert_eq!(seen, [[0; 3], [7; 3], [0; 3], [0; 3]]);
    }
}
