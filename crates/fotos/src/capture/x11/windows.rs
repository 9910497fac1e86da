//! The windows there are, from the lowest to the uppermost.

use x11rb::cookie::Cookie;
use x11rb::protocol::shape::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, GetPropertyReply, MapState, Window, WindowClass};
use x11rb::rust_connection::RustConnection;

use super::atoms::Atoms;
use super::fault::Fault;
use crate::capture::Excluded;
use crate::rect::Rect;

/// A window of a program.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) id: Window,
    pub(super) title: String,
    pub(super) class: String,
    pub(super) presence: Presence,
    /// The window that it is a part of, or for.
    transient_for: Option<Window>,
}

#[cfg(test)]
impl Client {
    pub(super) fn example(id: Window, title: &str, presence: Presence) -> Client {
        Client { id, title: title.to_owned(), class: String::new(), presence, transient_for: None }
    }
}

/// Whether a window has pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Shown,
    Minimised,
    OtherWorkspace,
}

/// What lies directly on the root window: the frame around a program's window, a menu, a panel.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) id: Window,
    /// Where it is, with its border.
    pub(super) rect: Rect,
    /// Where nothing below it shines through.
    pub(super) opaque: Vec<Rect>,
    /// Whether nobody is to see it.
    pub(super) excluded: bool,
}

/// More windows than a desktop has; the others are not looked at.
const MOST_WINDOWS: usize = 2_000;

/// How long a text or list of a window may be, in words of four bytes.
const MOST_WORDS: u32 = 1_024;

/// A property that was asked for.
type Property<'a> = Cookie<'a, RustConnection, GetPropertyReply>;

/// Asks an X server about windows.
pub(super) struct Windows<'a> {
    pub(super) connection: &'a RustConnection,
    pub(super) atoms: &'a Atoms,
    pub(super) root: Window,
}

impl Windows<'_> {
    /// The programs' windows, the uppermost first. A window manager knows them; without one, they are what is on the
    /// root.
    pub(super) fn clients(&self) -> Result<Vec<Client>, Fault> {
        // Asked all at once: a question takes no time, but an answer has to be waited for.
        let stacked = self.ask(self.root, self.atoms._NET_CLIENT_LIST_STACKING)?;
        let listed = self.ask(self.root, self.atoms._NET_CLIENT_LIST)?;
        let children = self.connection.query_tree(self.root)?;
        let (stacked, listed) = (numbers(&stacked.reply()?), numbers(&listed.reply()?));
        let children = children.reply()?.children;
        let mut ids = [stacked, listed, children].into_iter().find(|ids| !ids.is_empty()).unwrap_or_default();
        ids.reverse();
        ids.truncate(MOST_WINDOWS);
        // A window that closes while we ask is not there any more, and no reason to fail.
        let clients = ids.into_iter().filter_map(|id| self.client(id).or_else(Fault::or_gone).transpose());
        clients.filter(|client| client.as_ref().map_or(true, |client| !client.title.is_empty())).collect()
    }

    fn client(&self, id: Window) -> Result<Option<Client>, Fault> {
        let attributes = self.connection.get_window_attributes(id)?;
        let ask = |property: u32| self.ask(id, property);
        let (net_name, name) = (ask(self.atoms._NET_WM_NAME)?, ask(AtomEnum::WM_NAME.into())?);
        let (class, transient) = (ask(AtomEnum::WM_CLASS.into())?, ask(AtomEnum::WM_TRANSIENT_FOR.into())?);
        let (state, net_state) = (ask(self.atoms.WM_STATE)?, ask(self.atoms._NET_WM_STATE)?);
        let attributes = attributes.reply()?;
        let (net_name, name) = (text(&net_name.reply()?), text(&name.reply()?));
        let class = text(&class.reply()?);
        let iconic = numbers(&state.reply()?).first() == Some(&3);
        let hidden = numbers(&net_state.reply()?).contains(&self.atoms._NET_WM_STATE_HIDDEN);
        let presence = if attributes.map_state == MapState::VIEWABLE {
            Presence::Shown
        } else if hidden || iconic && self.is_on_this_workspace(id)? {
            Presence::Minimised
        } else {
            Presence::OtherWorkspace
        };
        let title = if net_name.is_empty() { name } else { net_name };
        let transient_for = numbers(&transient.reply()?).first().copied().filter(|id| *id != 0);
        let is_drawn = attributes.class == WindowClass::INPUT_OUTPUT;
        Ok(is_drawn.then_some(Client { id, title, class, presence, transient_for }))
    }

    fn is_on_this_workspace(&self, id: Window) -> Result<bool, Fault> {
        let own = self.numbers(id, self.atoms._NET_WM_DESKTOP)?;
        let current = self.numbers(self.root, self.atoms._NET_CURRENT_DESKTOP)?;
        Ok(own.first().is_none_or(|own| *own == u32::MAX || current.first() == Some(own)))
    }

    /// The ancestor of a window that lies directly on the root.
    pub(super) fn top(&self, mut id: Window) -> Result<Window, Fault> {
        // Frames are one or two deep.
        for _ in 0..16 {
            let parent = self.connection.query_tree(id)?.reply()?.parent;
            if parent == self.root || parent == x11rb::NONE {
                break;
            }
            id = parent;
        }
        Ok(id)
    }

    /// A window's place on the root, without its border.
    pub(super) fn place(&self, id: Window) -> Result<Rect, Fault> {
        let geometry = self.connection.get_geometry(id)?;
        let place = self.connection.translate_coordinates(id, self.root, 0, 0)?;
        let (geometry, place) = (geometry.reply()?, place.reply()?);
        Ok(Rect {
            x: place.dst_x.into(),
            y: place.dst_y.into(),
            width: geometry.width.into(),
            height: geometry.height.into(),
        })
    }

    /// Everything that can be seen on the root, the lowest first.
    pub(super) fn layers(&self, excluded: &Excluded) -> Result<Vec<Layer>, Fault> {
        let clients = if excluded.is_empty() { Vec::new() } else { self.clients()? };
        let mut hidden = Vec::new();
        for client in &clients {
            if is_hidden(client, &clients, excluded) {
                hidden.push(self.top(client.id)?);
            }
        }
        let children = self.connection.query_tree(self.root)?.reply()?.children;
        let mut layers = Vec::new();
        for id in children.into_iter().take(MOST_WINDOWS) {
            let layer = self.layer(id, &hidden, excluded).or_else(Fault::or_gone)?;
            layers.extend(layer);
        }
        Ok(layers)
    }

    fn layer(&self, id: Window, hidden: &[Window], excluded: &Excluded) -> Result<Option<Layer>, Fault> {
        let (attributes, geometry) =
            (self.connection.get_window_attributes(id)?, self.connection.get_geometry(id)?);
        let ask = |property: u32| self.ask(id, property);
        let (name, class) = (ask(AtomEnum::WM_NAME.into())?, ask(AtomEnum::WM_CLASS.into())?);
        let (transient, opacity) =
            (ask(AtomEnum::WM_TRANSIENT_FOR.into())?, ask(self.atoms._NET_WM_WINDOW_OPACITY)?);
        let region = ask(self.atoms._NET_WM_OPAQUE_REGION)?;
        let shape = self.connection.shape_query_extents(id)?;
        let (attributes, geometry) = (attributes.reply()?, geometry.reply()?);
        let is_shaped = shape.reply().is_ok_and(|shape| shape.bounding_shaped);
        if attributes.map_state != MapState::VIEWABLE || attributes.class != WindowClass::INPUT_OUTPUT {
            return Ok(None);
        }
        let border = u32::from(geometry.border_width) * 2;
        let (x, y) = (i32::from(geometry.x), i32::from(geometry.y));
        let rect = Rect {
            x,
            y,
            width: u32::from(geometry.width) + border,
            height: u32::from(geometry.height) + border,
        };
        let is_faint = numbers(&opacity.reply()?).first().is_some_and(|opacity| *opacity != u32::MAX);
        let region = rects(&numbers(&region.reply()?));
        let opaque = match geometry.depth {
            _ if is_shaped || is_faint => Vec::new(),
            // A window with an alpha channel says itself where it is opaque.
            32 => region.into_iter().filter_map(|part| part.seen_from(-x, -y).common(rect)).collect(),
            _ => vec![rect],
        };
        let transient = numbers(&transient.reply()?);
        let is_excluded = hidden.contains(&id)
            || transient.iter().any(|of| hidden.contains(of))
            || excluded.hides(&text(&name.reply()?), &text(&class.reply()?));
        Ok(Some(Layer { id, rect, opaque, excluded: is_excluded }))
    }

    fn numbers(&self, id: Window, property: u32) -> Result<Vec<u32>, Fault> {
        Ok(numbers(&self.ask(id, property)?.reply()?))
    }

    /// Asks for a property of a window.
    fn ask(&self, id: Window, property: u32) -> Result<Property<'_>, Fault> {
        Ok(self.connection.get_property(false, id, property, AtomEnum::ANY, 0, MOST_WORDS)?)
    }
}

/// A dialog of an excluded window is as secret as the window.
pub(super) fn is_hidden(client: &Client, clients: &[Client], excluded: &Excluded) -> bool {
    let mut client = Some(client);
    for _ in 0..8 {
        let Some(Client { title, class, transient_for, .. }) = client else { return false };
        if excluded.hides(title, class) {
            return true;
        }
        client = clients.iter().find(|other| Some(other.id) == *transient_for);
    }
    false
}

fn numbers(property: &GetPropertyReply) -> Vec<u32> {
    property.value32().map(Iterator::collect).unwrap_or_default()
}

fn rects(numbers: &[u32]) -> Vec<Rect> {
    let as_place = |number: u32| i32::from_ne_bytes(number.to_ne_bytes());
    let (fours, _) = numbers.as_chunks::<4>();
    fours
        .iter()
        .map(|&[x, y, width, height]| Rect { x: as_place(x), y: as_place(y), width, height })
        .collect()
}

/// The text of a property. `_NET_WM_NAME` is UTF-8; `WM_NAME` often is, and Latin-1 otherwise; parts of `WM_CLASS` end in
/// a zero each.
fn text(property: &GetPropertyReply) -> String {
    if property.format != 8 {
        return String::new();
    }
    let text = match str::from_utf8(&property.value) {
        Ok(text) => text.to_owned(),
        Err(_) => property.value.iter().map(|byte| char::from(*byte)).collect(),
    };
    text.replace(char::is_control, " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Client, Presence, is_hidden, rects};
    use crate::capture::Excluded;
    use crate::rect::Rect;

    fn client(id: u32, title: &str, transient_for: Option<u32>) -> Client {
        Client { transient_for, ..Client::example(id, title, Presence::Shown) }
    }

    #[test]
    fn a_dialog_is_hidden_with_its_window() {
        let clients =
            [client(1, "KeePassXC", None), client(2, "Edit entry", Some(1)), client(3, "Loop", Some(3))];
        let hidden: Vec<bool> =
            clients.iter().map(|client| is_hidden(client, &clients, &Excluded::default())).collect();
        assert_eq!(hidden, [true, true, false]);
    }

    #[test]
    fn an_opaque_region_is_a_list_of_rectangles() {
        let one = Rect { x: -1, y: 2, width: 3, height: 4 };
        assert_eq!(rects(&[u32::MAX, 2, 3, 4, 9]), [one]);
    }
}
