//! A picture of one window, also where others cover it. What cannot be told from what lies above or below it is black.

use std::collections::HashSet;

use geometry::{Rect, without};
use picture::Pixels;
use x11rb::connection::RequestConnection;
use x11rb::protocol::shape::{self, ConnectionExt as _, SK};
use x11rb::protocol::xproto::{ConnectionExt as _, Window};

use super::covered::{self, Redirected};
use super::fault::Fault;
use super::windows::{Client, Layer};
use super::{X11, cursor, put};
use crate::capture::{Cursor, Error, Shot, Which, WindowState, Wish, is_titled, part_of};

/// What an answer says about a window that did not paint what others cover, or what others would show.
const UNSURE: &str = "A part of this window is covered, not on the screen or above one that is excluded, and its program did not paint \
     that part: it is black";

/// What is known of a window at one moment, and holds as long as the server serves nobody else.
struct Sight {
    /// The frame around it, which lies on the root.
    top: Window,
    /// Where that is on the root, with its border.
    frame: Rect,
    /// What is wanted of it, on the root.
    part: Rect,
    /// The parts of the frame there are at all, on the root; nothing where it is a rectangle.
    shape: Option<Vec<Rect>>,
    layers: Vec<Layer>,
    /// What of `part` may be anything until its program paints it: what others cover, what is not on the screen, and what lies above
    /// windows that are excluded.
    doubtful: Vec<Rect>,
}

/// How far the picture is after the first look.
enum Taken {
    Done(Pixels),
    /// Its program has to paint what was covered.
    Awaited(Redirected),
}

impl X11 {
    pub(super) fn shoot_window(&mut self, wanted: &Which, wish: &Wish) -> Result<Shot, Fault> {
        let clients = self.queries().clients()?;
        let hidden = self.queries().hidden(&clients, &wish.excluded)?;
        let client = choose(clients, wanted, &hidden)?;
        match client.state {
            WindowState::Visible => {}
            WindowState::Minimised => return Err(Error::Minimised { title: client.title }.into()),
            WindowState::OtherWorkspace => return Err(Error::Elsewhere { title: client.title }.into()),
        }
        let (sight, taken) = self.holding_still(|held| {
            let sight = held.sight(&client, wish)?;
            let taken = match held.at_once(&sight)? {
                Some(pixels) => Taken::Done(pixels),
                None if covered::is_possible(&held.connection)? => {
                    Taken::Awaited(Redirected::new(held, sight.top, sight.doubtful.clone())?)
                }
                None => return Err(Error::Covered { title: client.title.clone() }.into()),
            };
            Ok((sight, taken))
        })?;
        let (mut pixels, sight, unsure) = match taken {
            Taken::Done(pixels) => (pixels, sight, Vec::new()),
            Taken::Awaited(mut redirected) => {
                let done = redirected
                    .wait(self)
                    .and_then(|unsure| self.after_waiting(&client, wish, &sight, unsure));
                redirected.end(self)?;
                done?
            }
        };
        let part = sight.part;
        if let Some(shape) = &sight.shape {
            pixels = within(&pixels, part, shape);
        }
        for rect in &unsure {
            pixels.fill(rect.seen_from(part.x, part.y), [0, 0, 0]);
        }
        let is_unsure = |layer: &&Layer| unsure.iter().any(|rect| layer.rect.common(*rect).is_some());
        let hidden = sight.layers.iter().filter(|layer| layer.excluded).filter(is_unsure).count();
        if wish.cursor == Cursor::Shown {
            cursor::draw(&self.connection, &mut pixels, part)?;
        }
        let warning = (!unsure.is_empty()).then(|| UNSURE.to_owned());
        let (subject, origin) = (Some(client.title), (part.x, part.y));
        Ok(Shot { origin, subject, hidden, warning, ..Shot::of(pixels) })
    }

    /// Looks where a window is and what lies above it.
    fn sight(&self, client: &Client, wish: &Wish) -> Result<Sight, Fault> {
        let queries = self.queries();
        let (top, place) = (queries.top(client.id)?, queries.place(client.id)?);
        let part = part_of(place, wish.region)?;
        let layers = queries.layers(&wish.excluded)?;
        let Some(at) = layers.iter().position(|layer| layer.id == top) else {
            let reason = "the window is not among those on the screen".to_owned();
            return Err(Error::Unlisted { reason }.into());
        };
        if layers[at].excluded {
            return Err(Error::Excluded.into());
        }
        let frame = layers[at].rect;
        let above = layers[at + 1..].iter();
        let below = layers[..at].iter().filter(|layer| layer.excluded);
        let mut doubtful: Vec<Rect> =
            above.chain(below).filter_map(|layer| layer.rect.common(part)).collect();
        doubtful.extend(without(&[part], self.whole_root()?));
        let shape = self.shape(top, frame)?;
        Ok(Sight { top, frame, part, shape, layers, doubtful })
    }

    /// The parts of a window there are, on the root; nothing where it is a rectangle.
    fn shape(&self, top: Window, frame: Rect) -> Result<Option<Vec<Rect>>, Fault> {
        if self.connection.extension_information(shape::X11_EXTENSION_NAME)?.is_none()
            || !self.connection.shape_query_extents(top)?.reply()?.bounding_shaped
        {
            return Ok(None);
        }
        let border = i32::from(self.connection.get_geometry(top)?.reply()?.border_width);
        let (x, y) = (frame.x + border, frame.y + border);
        let parts = self.connection.shape_get_rectangles(top, SK::BOUNDING)?.reply()?.rectangles;
        let placed = parts.into_iter().map(|part| Rect {
            x: x + i32::from(part.x),
            y: y + i32::from(part.y),
            width: part.width.into(),
            height: part.height.into(),
        });
        Ok(Some(placed.collect()))
    }

    /// The picture, where it can be had without waiting for anybody.
    fn at_once(&mut self, sight: &Sight) -> Result<Option<Pixels>, Fault> {
        if self.is_composited()?
            && let Some(pixels) = covered::kept(self, sight.top, sight.part)?
        {
            return Ok(Some(pixels));
        }
        if sight.doubtful.is_empty() {
            let (root, visual) = (self.root, self.root_visual);
            return Ok(Some(self.picture(root, visual, sight.part)?));
        }
        Ok(None)
    }

    /// Takes the picture of a window that had time to paint, unless it is another one than before by now.
    fn after_waiting(
        &mut self,
        client: &Client,
        wish: &Wish,
        before: &Sight,
        unsure: Vec<Rect>,
    ) -> Result<(Pixels, Sight, Vec<Rect>), Fault> {
        self.holding_still(|held| {
            let now = held.sight(client, wish)?;
            // What is unsure is known by its place alone.
            let is_same = (now.top, now.frame, now.part) == (before.top, before.frame, before.part);
            match covered::kept(held, now.top, now.part)?.filter(|_| is_same) {
                Some(pixels) => Ok((pixels, now, unsure)),
                None => Err(Error::Moved { title: client.title.clone() }.into()),
            }
        })
    }
}

/// What of a picture lies in some rectangles; the rest is black.
fn within(pixels: &Pixels, part: Rect, shape: &[Rect]) -> Pixels {
    let mut seen = Pixels::plain(pixels.width(), pixels.height(), [0; 3]);
    for rect in shape.iter().filter_map(|rect| rect.common(part)) {
        let place = rect.seen_from(part.x, part.y);
        if let Some(own) = pixels.part(place) {
            put(&own, place, &mut seen);
        }
    }
    seen
}

fn choose(clients: Vec<Client>, wanted: &Which, hidden: &HashSet<Window>) -> Result<Client, Error> {
    match wanted {
        Which::Titled(part) => titled(clients, part, hidden),
        Which::Numbered(number) if hidden.contains(number) => Err(Error::Excluded),
        Which::Numbered(number) => {
            clients.into_iter().find(|client| client.id == *number).ok_or(Error::WindowGone)
        }
    }
}

/// The uppermost window with this in its title; one that can be seen rather than one that cannot.
fn titled(clients: Vec<Client>, wanted: &str, hidden: &HashSet<Window>) -> Result<Client, Error> {
    let key = wanted.to_lowercase();
    let titled = clients.into_iter().filter(|client| !client.title.is_empty());
    let (secret, mut open): (Vec<Client>, Vec<Client>) =
        titled.partition(|client| hidden.contains(&client.id));
    let matches = |client: &Client| is_titled(&client.title, &key);
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

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use picture::Pixels;

    use super::{Client, Error, HashSet, Which, WindowState, choose, within};

    fn chosen(titles: &[(&str, WindowState)], wanted: &Which) -> Result<u32, Error> {
        let client = |(id, (title, state)): (u32, &(&str, WindowState))| Client::example(id, title, *state);
        let clients = (0..).zip(titles).map(client).collect();
        // The last of them is nobody's business.
        choose(clients, wanted, &HashSet::from([3])).map(|client| client.id)
    }

    #[test]
    fn a_number_means_one_window_whatever_the_others_are_called() {
        use WindowState::Visible as Shown;
        let titles = [("Notes", Shown), ("Notes", Shown), ("More notes", Shown), ("KeePassXC", Shown)];
        let numbered = |number| chosen(&titles, &Which::Numbered(number));
        assert_eq!([0, 1, 2].map(|number| numbered(number).expect("a window")), [0, 1, 2]);
        assert!(matches!(numbered(3), Err(Error::Excluded)));
        assert!(matches!(numbered(4), Err(Error::WindowGone)));
    }

    #[test]
    fn the_uppermost_window_that_can_be_seen_is_chosen() {
        use WindowState::{Minimised, Visible as Shown};
        let chosen =
            |titles: &[(&str, WindowState)], part: &str| chosen(titles, &Which::Titled(part.to_owned()));
        let titles = [("Fox news", Minimised), ("a FOX", Shown), ("fox", Shown), ("fox - KeePassXC", Shown)];
        assert_eq!(chosen(&titles, "fOx").expect("a window"), 1);
        assert_eq!(chosen(&titles, "news").expect("a window"), 0);
        assert!(matches!(chosen(&titles, "keepass"), Err(Error::Excluded)));
        let Err(Error::NoWindow { titles, .. }) = chosen(&titles, "owl") else { panic!("no such window") };
        assert_eq!(titles, ["Fox news", "a FOX", "fox"]);
    }

    #[test]
    fn what_is_not_in_the_shape_is_black() {
        let part = Rect { x: 10, y: 10, width: 4, height: 4 };
        let shape = [Rect { x: 0, y: 0, width: 12, height: 11 }, Rect { x: 13, y: 13, width: 9, height: 9 }];
        let seen = within(&Pixels::plain(4, 4, [7; 3]), part, &shape);
        let at = [(0, 0), (1, 0), (2, 0), (0, 1), (3, 3)].map(|(x, y)| seen.at(x, y)[0]);
        assert_eq!(at, [7, 7, 0, 0, 7]);
    }
}
