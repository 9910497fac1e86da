//! Pictures from an X server, on its wire protocol: no system library is needed.

mod atoms;
mod covered;
mod cursor;
mod fault;
mod format;
mod layers;
mod monitors;
mod segment;
mod windows;

use std::collections::HashSet;

use geometry::{Rect, without};
use picture::Pixels;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, Drawable, ImageFormat, Visualid, Window};
use x11rb::rust_connection::RustConnection;

use super::{
    Cursor, Error, Excluded, MonitorInfo, Screen, Shot, Target, Window as WindowInfo, WindowState, Wish,
    part_of,
};
use atoms::Atoms;
use fault::Fault;
use format::Format;
use segment::Segment;
use windows::{Client, Layer, Windows};

/// A connection to an X server, and the memory shared with it.
pub(super) struct X11 {
    connection: RustConnection,
    atoms: Atoms,
    root: Window,
    root_visual: Visualid,
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
            Target::Window(title) => self.shoot_window(title, wish),
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
        let (connection, screen) =
            RustConnection::connect(Some(display)).map_err(|error| unreachable(&error))?;
        let screen = connection.setup().roots.get(screen);
        let screen = screen.ok_or_else(|| unreachable(&"it has no screen of this number"))?;
        let (root, root_visual) = (screen.root, screen.root_visual);
        let atoms = Atoms::new(&connection).map_err(Fault::from).map_err(Error::from)?;
        let atoms = atoms.reply().map_err(Fault::from).map_err(Error::from)?;
        Ok(X11 { connection, atoms, root, root_visual, segment: None, sharing: Sharing::Possible })
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
        let (mut pixels, layers) = self.holding_still(|held| {
            let layers = held.queries().layers(&wish.excluded)?;
            Ok((held.picture(root, visual, part)?, layers))
        })?;
        let hidden = black_out(&mut pixels, part, &layers);
        if wish.cursor == Cursor::Shown {
            cursor::draw(&self.connection, &mut pixels, part)?;
        }
        let seen = layers.iter().rev().filter_map(|layer| layer.rect.common(part));
        let windows = seen.map(|rect| rect.seen_from(part.x, part.y)).collect();
        Ok(Shot { subject, hidden, windows, origin: (part.x, part.y), ..Shot::of(pixels) })
    }

    /// A window, also where others cover it. What cannot be told from what covers it is black.
    fn shoot_window(&mut self, wanted: &str, wish: &Wish) -> Result<Shot, Fault> {
        let clients = self.queries().clients()?;
        let hidden = self.queries().hidden(&clients, &wish.excluded)?;
        let client = choose(clients, wanted, &hidden)?;
        match client.state {
            WindowState::Visible => {}
            WindowState::Minimised => return Err(Error::Minimised { title: client.title }.into()),
            WindowState::OtherWorkspace => return Err(Error::Elsewhere { title: client.title }.into()),
        }
        let whole = self.whole_root()?;
        let (root, visual) = (self.root, self.root_visual);
        let (part, top, layers, uncovered) = self.holding_still(|held| {
            let queries = held.queries();
            let (top, place) = (queries.top(client.id)?, queries.place(client.id)?);
            let part = part_of(place, wish.region)?;
            let layers = queries.layers(&wish.excluded)?;
            let covered = above(&layers, top, part)?;
            let is_free = covered.is_empty() && whole.contains(part);
            let uncovered = if is_free { Some(held.picture(root, visual, part)?) } else { None };
            Ok((part, top, layers, uncovered))
        })?;
        let (mut pixels, unsure) = if let Some(pixels) = uncovered {
            (pixels, Vec::new())
        } else {
            let covered = above(&layers, top, part)?;
            covered::picture(self, &covered::Window { top, title: &client.title, part, covered })?
        };
        for rect in &unsure {
            pixels.fill(rect.seen_from(part.x, part.y), [0, 0, 0]);
        }
        let is_unsure = |layer: &&Layer| unsure.iter().any(|rect| layer.rect.common(*rect).is_some());
        let hidden = layers.iter().filter(|layer| layer.excluded).filter(is_unsure).count();
        if wish.cursor == Cursor::Shown {
            cursor::draw(&self.connection, &mut pixels, part)?;
        }
        let warning = (!unsure.is_empty()).then(|| UNSURE.to_owned());
        Ok(Shot {
            subject: Some(client.title),
            hidden,
            warning,
            origin: (part.x, part.y),
            ..Shot::of(pixels)
        })
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

/// What a pixel takes at most.
const MOST_BYTES_PER_PIXEL: usize = 4;

/// What an answer says about a window that did not paint what others cover.
const UNSURE: &str =
    "Other windows cover a part of this one, and its program did not paint that part: it is black";

/// What lies above a window in a part of the screen.
fn above(layers: &[Layer], top: Window, part: Rect) -> Result<Vec<Rect>, Error> {
    let Some(at) = layers.iter().position(|layer| layer.id == top) else {
        return Err(Error::Unlisted { reason: "the window is not among those on the screen".to_owned() });
    };
    if layers[at].excluded {
        return Err(Error::Excluded);
    }
    Ok(layers[at + 1..].iter().filter_map(|layer| layer.rect.common(part)).collect())
}

/// The uppermost window with this in its title; one that can be seen rather than one that cannot.
fn choose(clients: Vec<Client>, wanted: &str, hidden: &HashSet<Window>) -> Result<Client, Error> {
    let key = wanted.to_lowercase();
    let titled = clients.into_iter().filter(|client| !client.title.is_empty());
    let (secret, mut open): (Vec<Client>, Vec<Client>) =
        titled.partition(|client| hidden.contains(&client.id));
    let matches = |client: &Client| client.title.to_lowercase().contains(&key);
    let shown = open.iter().position(|client| matches(client) && client.state == WindowState::Visible);
    match shown.or_else(|| open.iter().position(matches)) {
        Some(at) => Ok(open.swap_remove(at)),
        None if secret.iter().any(matches) => Err(Error::Excluded),
        None => {
            let others = open.into_iter().map(|client| client.title).collect();
            Err(Error::NoWindow { wanted: wanted.to_owned(), titles: others })
        }
    }
}

/// Blackens what can be seen of excluded windows, and counts them.
fn black_out(pixels: &mut Pixels, part: Rect, layers: &[Layer]) -> usize {
    let mut hidden = 0;
    for (at, layer) in layers.iter().enumerate().filter(|(_, layer)| layer.excluded) {
        let above = layers.iter().skip(at + 1).filter(|above| !above.excluded);
        let seen =
            above.flat_map(|above| &above.opaque).fold(vec![layer.rect], |seen, hole| without(&seen, *hole));
        let seen: Vec<Rect> = seen.into_iter().filter_map(|rect| rect.common(part)).collect();
        hidden += usize::from(!seen.is_empty());
        for rect in seen {
            pixels.fill(rect.seen_from(part.x, part.y), [0, 0, 0]);
        }
    }
    hidden
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use picture::Pixels;

    use super::windows::{Client, Layer};
    use super::{Error, HashSet, WindowState, black_out, choose};

    fn rect(x: i32, y: i32, width: u32, height: u32) -> Rect {
        Rect { x, y, width, height }
    }

    fn chosen(titles: &[(&str, WindowState)], wanted: &str) -> Result<u32, Error> {
        let client = |(id, (title, state)): (u32, &(&str, WindowState))| Client::example(id, title, *state);
        let clients = (0..).zip(titles).map(client).collect();
        // The last of them is nobody's business.
        choose(clients, wanted, &HashSet::from([3])).map(|client| client.id)
    }

    #[test]
    fn the_uppermost_window_that_can_be_seen_is_chosen() {
        use WindowState::{Minimised, Visible as Shown};
        let titles = [("Fox news", Minimised), ("a FOX", Shown), ("fox", Shown), ("fox - KeePassXC", Shown)];
        assert_eq!(chosen(&titles, "fOx").expect("a window"), 1);
        assert_eq!(chosen(&titles, "news").expect("a window"), 0);
        assert!(matches!(chosen(&titles, "keepass"), Err(Error::Excluded)));
        let Err(Error::NoWindow { titles, .. }) = chosen(&titles, "owl") else { panic!("no such window") };
        assert_eq!(titles, ["Fox news", "a FOX", "fox"]);
    }

    #[test]
    fn only_what_shows_of_an_excluded_window_is_blackened() {
        let layer = |id, rect: Rect, opaque, excluded| Layer { id, rect, opaque, excluded };
        let layers = [
            layer(1, rect(0, 0, 10, 10), vec![rect(0, 0, 10, 10)], false),
            layer(2, rect(2, 2, 6, 6), vec![rect(2, 2, 6, 6)], true),
            layer(3, rect(2, 2, 2, 2), vec![rect(2, 2, 2, 2)], false),
            // Something shines through this one.
            layer(4, rect(6, 6, 4, 4), Vec::new(), false),
        ];
        let mut pixels = Pixels::plain(9, 9, [7; 3]);
        assert_eq!(black_out(&mut pixels, rect(1, 1, 9, 9), &layers), 1);
        let black = [(3, 1), (1, 3), (6, 6)].map(|(x, y)| pixels.at(x, y));
        assert_eq!(black, [[0; 3]; 3]);
        let seen = [(0, 0), (1, 1), (2, 2), (7, 7)].map(|(x, y)| pixels.at(x, y));
        assert_eq!(seen, [[7; 3]; 4]);
    }
}
