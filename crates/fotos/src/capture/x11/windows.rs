//! The windows of programs: those that can be chosen and listed.

use std::collections::HashSet;

use geometry::Rect;
use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, GetPropertyReply, MapState, Window, WindowClass};
use x11rb::rust_connection::RustConnection;

use super::atoms::Atoms;
use super::fault::Fault;
pub(super) use super::layers::Layer;
use crate::capture::{Excluded, Window as WindowInfo, WindowState};

/// A window of a program.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) id: Window,
    /// Empty where it has none.
    pub(super) title: String,
    pub(super) class: String,
    pub(super) state: WindowState,
    pid: Option<u32>,
}

#[cfg(test)]
impl Client {
    pub(super) fn example(id: Window, title: &str, state: WindowState) -> Client {
        Client { id, title: title.to_owned(), class: String::new(), state, pid: None }
    }
}

/// More windows than a person can have open; those below are neither chosen nor listed.
const MOST_CLIENTS: usize = 2_000;

/// How long a text or list of a window may be, in words of four bytes.
const MOST_WORDS: u32 = 1_024;

/// The resources of a desktop are longer than other properties.
const MOST_RESOURCE_WORDS: u32 = 64 << 10;

/// A property that was asked for.
pub(super) type Property<'a> = Cookie<'a, RustConnection, GetPropertyReply>;

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
        ids.truncate(MOST_CLIENTS);
        // A window that closes while we ask is not there any more, and no reason to fail.
        ids.into_iter().filter_map(|id| self.client(id).or_else(Fault::or_gone).transpose()).collect()
    }

    fn client(&self, id: Window) -> Result<Option<Client>, Fault> {
        let attributes = self.connection.get_window_attributes(id)?;
        let ask = |property: u32| self.ask(id, property);
        let (net_name, name) = (ask(self.atoms._NET_WM_NAME)?, ask(AtomEnum::WM_NAME.into())?);
        let class = ask(AtomEnum::WM_CLASS.into())?;
        let (state, net_state) = (ask(self.atoms.WM_STATE)?, ask(self.atoms._NET_WM_STATE)?);
        let pid = ask(self.atoms._NET_WM_PID)?;
        let attributes = attributes.reply()?;
        let (net_name, name) = (text(&net_name.reply()?), text(&name.reply()?));
        let class = text(&class.reply()?);
        let iconic = numbers(&state.reply()?).first() == Some(&3);
        let hidden = numbers(&net_state.reply()?).contains(&self.atoms._NET_WM_STATE_HIDDEN);
        let state = if attributes.map_state == MapState::VIEWABLE {
            WindowState::Visible
        } else if hidden || iconic && self.is_on_this_workspace(id)? {
            WindowState::Minimised
        } else {
            WindowState::OtherWorkspace
        };
        let title = if net_name.is_empty() { name } else { net_name };
        let pid = numbers(&pid.reply()?).first().copied();
        let is_drawn = attributes.class == WindowClass::INPUT_OUTPUT;
        Ok(is_drawn.then_some(Client { id, title, class, state, pid }))
    }

    /// What others are told of the windows, the uppermost first. Those nobody is to see are not among them.
    pub(super) fn told(&self, excluded: &Excluded) -> Result<Vec<WindowInfo>, Fault> {
        let clients = self.clients()?;
        let focused = self.numbers(self.root, self.atoms._NET_ACTIVE_WINDOW)?.first().copied();
        let hidden = self.hidden(&clients, excluded)?;
        let mut told = Vec::new();
        for client in clients.iter().filter(|client| !hidden.contains(&client.id)) {
            let is_window = !client.title.is_empty() || !client.class.is_empty();
            let Some(place) = self.place(client.id).map(Some).or_else(Fault::or_gone)?.filter(|_| is_window)
            else {
                continue;
            };
            let Client { id, title, class, state, pid } = client.clone();
            // Both parts of a class, which say nearly the same.
            let class = class.split(' ').next_back().unwrap_or_default().to_owned();
            let (focused, stacking) = (Some(id) == focused, told.len());
            told.push(WindowInfo {
                number: id,
                title,
                class,
                pid,
                process: process(pid),
                place,
                stacking,
                focused,
                state,
            });
        }
        Ok(told)
    }

    /// Those of some windows that nobody is to see.
    pub(super) fn hidden(&self, clients: &[Client], excluded: &Excluded) -> Result<HashSet<Window>, Fault> {
        if excluded.is_empty() {
            return Ok(HashSet::new());
        }
        let ids: Vec<Window> = clients.iter().map(|client| client.id).collect();
        let secret = self.secret(&ids, excluded)?;
        // A title may have changed since it was read: both have to be harmless.
        let is_secret = |client: &&Client| {
            secret.get(&client.id).is_none_or(|judged| judged.is_excluded)
                || excluded.hides(&client.title, &client.class)
        };
        Ok(clients.iter().filter(is_secret).map(|client| client.id).collect())
    }

    /// Pixels for a unit of length, as the desktop told its programs.
    pub(super) fn scale(&self) -> Result<f64, Fault> {
        let asked = self.connection.get_property(
            false,
            self.root,
            AtomEnum::RESOURCE_MANAGER,
            AtomEnum::ANY,
            0,
            MOST_RESOURCE_WORDS,
        )?;
        let resources = String::from_utf8_lossy(&asked.reply()?.value).into_owned();
        let dpi =
            resources.lines().find_map(|line| line.strip_prefix("Xft.dpi:")?.trim().parse::<f64>().ok());
        Ok(dpi.filter(|dpi| (24.0..=960.0).contains(dpi)).map_or(1.0, |dpi| (dpi / 0.96).round() / 100.0))
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

    pub(super) fn numbers(&self, id: Window, property: u32) -> Result<Vec<u32>, Fault> {
        Ok(numbers(&self.ask(id, property)?.reply()?))
    }

    /// Asks for a property of a window.
    pub(super) fn ask(&self, id: Window, property: u32) -> Result<Property<'_>, Fault> {
        Ok(self.connection.get_property(false, id, property, AtomEnum::ANY, 0, MOST_WORDS)?)
    }
}

/// The name of a process of this machine.
fn process(pid: Option<u32>) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{}/comm", pid?)).ok()?;
    Some(name.trim().to_owned())
}

pub(super) fn numbers(property: &GetPropertyReply) -> Vec<u32> {
    property.value32().map(Iterator::collect).unwrap_or_default()
}

pub(super) fn rects(numbers: &[u32]) -> Vec<Rect> {
    let as_place = |number: u32| i32::from_ne_bytes(number.to_ne_bytes());
    let (fours, _) = numbers.as_chunks::<4>();
    fours
        .iter()
        .map(|&[x, y, width, height]| Rect { x: as_place(x), y: as_place(y), width, height })
        .collect()
}

/// The text of a property. `_NET_WM_NAME` is UTF-8; `WM_NAME` often is, and Latin-1 otherwise; parts of `WM_CLASS` end in
/// a zero each.
pub(super) fn text(property: &GetPropertyReply) -> String {
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
    use geometry::Rect;

    use super::rects;

    #[test]
    fn an_opaque_region_is_a_list_of_rectangles() {
        let one = Rect { x: -1, y: 2, width: 3, height: 4 };
        assert_eq!(rects(&[u32::MAX, 2, 3, 4, 9]), [one]);
    }
}
