//! What lies directly on the root window, and whether nobody is to see it. What cannot be made sure of counts as excluded, and
//! where even that is not enough there is no picture.

use std::collections::{HashMap, HashSet};

use geometry::Rect;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::shape::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, GetPropertyReply, MapState, Window, WindowClass};

use super::fault::Fault;
use super::windows::{Windows, numbers, rects, text};
use crate::capture::{Error, Excluded};

/// The frame around a program's window, a menu, a panel.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) id: Window,
    /// Where it is, with its border.
    pub(super) rect: Rect,
    /// Where nothing below it shines through.
    pub(super) opaque: Vec<Rect>,
    /// Whether nobody is to see it.
    pub(super) excluded: bool,
    /// Whether it is a menu or the like, which may paint nothing at all: then what is below it is still to be seen there, unless it
    /// has pixels of its own.
    pub(super) popup: bool,
}

/// Questions that are under way at once.
const AT_ONCE: usize = 256;

/// More windows than any desktop shows; with more there is no picture.
const MOST_SHOWN: usize = 8_192;

/// How deep windows lie in each other, at most. Nobody knows what lies deeper, so it counts as excluded.
const DEEPEST: usize = 12;

/// How many windows are looked for in one, at most: other programs may be embedded there. One with more counts as excluded. Some
/// programs draw with hundreds.
const MOST_INSIDE: usize = 2_048;

/// How many are looked for in all of them together.
const MOST_LOOKED_AT: usize = 32_768;

/// How far a dialog is from the window it belongs to.
const MOST_TRANSIENT: usize = 8;

/// What is known of a window on the root.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Judged {
    /// Whether nobody is to see it.
    pub(super) is_excluded: bool,
    /// Whether it is a menu, a tooltip or the like: no window manager takes care of it.
    is_popup: bool,
}

/// Who a window says it is.
#[derive(Debug, Clone, Default)]
struct Identity {
    is_excluded: bool,
    /// Whether a window manager takes care of it.
    is_managed: bool,
    transient_for: Option<Window>,
    children: Vec<Window>,
}

impl Windows<'_> {
    /// Everything that can be seen on the root, the lowest first.
    pub(super) fn layers(&self, excluded: &Excluded) -> Result<Vec<Layer>, Fault> {
        let children = self.connection.query_tree(self.root)?.reply()?.children;
        let shown = self.shown(&children)?;
        if shown.len() > MOST_SHOWN {
            let reason = format!(
                "there are {} windows on the screen, and at most {MOST_SHOWN} are looked at",
                shown.len()
            );
            return Err(Error::Unlisted { reason }.into());
        }
        let mut layers = self.outlines(&shown)?;
        if !excluded.is_empty() {
            let ids: Vec<Window> = layers.iter().map(|layer| layer.id).collect();
            let secret = self.secret(&ids, excluded)?;
            for layer in &mut layers {
                let judged = secret.get(&layer.id);
                layer.excluded = judged.is_none_or(|judged| judged.is_excluded);
                layer.popup = judged.is_some_and(|judged| judged.is_popup);
            }
        }
        Ok(layers)
    }

    /// Those that have pixels on the screen.
    fn shown(&self, ids: &[Window]) -> Result<Vec<Window>, Fault> {
        let mut shown = Vec::new();
        for some in ids.chunks(AT_ONCE) {
            let asked = some.iter().map(|id| Ok((*id, self.connection.get_window_attributes(*id)?)));
            for (id, cookie) in asked.collect::<Result<Vec<_>, Fault>>()? {
                let attributes = cookie.reply().map(Some).map_err(Fault::from).or_else(Fault::or_gone)?;
                let is_shown = attributes.is_some_and(|attributes| {
                    attributes.map_state == MapState::VIEWABLE
                        && attributes.class == WindowClass::INPUT_OUTPUT
                });
                if is_shown {
                    shown.push(id);
                }
            }
        }
        Ok(shown)
    }

    /// Where windows are, and where nothing shines through them.
    fn outlines(&self, ids: &[Window]) -> Result<Vec<Layer>, Fault> {
        let has_shapes = self.connection.extension_information(shape::X11_EXTENSION_NAME)?.is_some();
        let mut layers = Vec::new();
        for some in ids.chunks(AT_ONCE) {
            let asked = some.iter().map(|id| {
                let geometry = self.connection.get_geometry(*id)?;
                let opacity = self.ask(*id, self.atoms._NET_WM_WINDOW_OPACITY)?;
                let region = self.ask(*id, self.atoms._NET_WM_OPAQUE_REGION)?;
                let shape = if has_shapes { Some(self.connection.shape_query_extents(*id)?) } else { None };
                Ok((*id, geometry, opacity, region, shape))
            });
            for (id, geometry, opacity, region, shape) in asked.collect::<Result<Vec<_>, Fault>>()? {
                let is_shaped =
                    shape.is_some_and(|shape| shape.reply().is_ok_and(|shape| shape.bounding_shaped));
                let opacity = opacity.reply().map(|reply| numbers(&reply)).unwrap_or_default();
                let region = region.reply().map(|reply| rects(&numbers(&reply))).unwrap_or_default();
                let Some(geometry) =
                    geometry.reply().map(Some).map_err(Fault::from).or_else(Fault::or_gone)?
                else {
                    continue;
                };
                let border = u32::from(geometry.border_width) * 2;
                let (x, y) = (i32::from(geometry.x), i32::from(geometry.y));
                let (width, height) =
                    (u32::from(geometry.width) + border, u32::from(geometry.height) + border);
                let rect = Rect { x, y, width, height };
                let is_faint = opacity.first().is_some_and(|opacity| *opacity != u32::MAX);
                let opaque = match geometry.depth {
                    _ if is_shaped || is_faint => Vec::new(),
                    // A window with an alpha channel says itself where it is opaque.
                    32 => region.into_iter().filter_map(|part| part.seen_from(-x, -y).common(rect)).collect(),
                    _ => vec![rect],
                };
                layers.push(Layer { id, rect, opaque, excluded: false, popup: false });
            }
        }
        Ok(layers)
    }

    /// Which of these nobody is to see: by their own names, by those of the windows in them, and by those they belong to.
    pub(super) fn secret(
        &self,
        tops: &[Window],
        excluded: &Excluded,
    ) -> Result<HashMap<Window, Judged>, Fault> {
        let mut known: HashMap<Window, Identity> = HashMap::new();
        let mut secret: HashMap<Window, bool> = tops.iter().map(|id| (*id, false)).collect();
        let mut inside: HashMap<Window, usize> = HashMap::new();
        let listed: HashSet<Window> =
            self.numbers(self.root, self.atoms._NET_CLIENT_LIST)?.into_iter().collect();
        let mut managed: HashSet<Window> = HashSet::new();
        let mut transients = Vec::new();
        // Windows, and those of `tops` in which they lie.
        let mut level: Vec<(Window, Window)> = tops.iter().map(|id| (*id, *id)).collect();
        let mut looked_at = 0;
        for _ in 0..DEEPEST {
            let ids: Vec<Window> = level.iter().map(|(id, _)| *id).collect();
            self.identify(&ids, excluded, &mut known)?;
            let mut below = Vec::new();
            for (id, top) in level {
                let Some(identity) = known.get(&id) else { continue };
                if identity.is_excluded {
                    secret.insert(top, true);
                }
                if identity.is_managed || listed.contains(&id) {
                    managed.insert(top);
                }
                transients.extend(identity.transient_for.map(|of| (of, top)));
                let count = inside.entry(top).or_default();
                *count += identity.children.len();
                looked_at += identity.children.len();
                if *count > MOST_INSIDE || looked_at > MOST_LOOKED_AT {
                    secret.insert(top, true);
                } else {
                    below.extend(identity.children.iter().map(|child| (*child, top)));
                }
            }
            level = below;
        }
        secret.extend(level.iter().map(|(_, top)| (*top, true)));
        // A dialog of an excluded window is as secret as the window, also where that one is not shown.
        for _ in 0..MOST_TRANSIENT {
            let missing: Vec<Window> =
                transients.iter().map(|(of, _)| *of).filter(|of| !known.contains_key(of)).collect();
            self.identify(&missing, excluded, &mut known)?;
            let mut further = Vec::new();
            for (of, top) in transients {
                let Some(identity) = known.get(&of) else { continue };
                if identity.is_excluded {
                    secret.insert(top, true);
                }
                further.extend(identity.transient_for.filter(|next| *next != of).map(|next| (next, top)));
            }
            transients = further;
        }
        let mut popups = self.left_alone(tops)?;
        if self.is_managed()? {
            // A frame whose window was just closed still shows what was in it.
            let empty = tops.iter().filter(|id| !managed.contains(*id) && !popups.contains(*id));
            secret.extend(empty.map(|id| (*id, true)));
        }
        popups.retain(|id| !managed.contains(id));
        Ok(self.judge(&secret, &popups, &known))
    }

    /// Whether a window manager takes care of all windows but menus and the like. Its own window says that it still does.
    fn is_managed(&self) -> Result<bool, Fault> {
        let check = |id: Window| self.numbers(id, self.atoms._NET_SUPPORTING_WM_CHECK);
        let Some(own) = check(self.root)?.first().copied() else { return Ok(false) };
        let said = check(own).map(Some).or_else(Fault::or_gone)?;
        Ok(said.is_some_and(|said| said.first() == Some(&own)))
    }

    /// Those that window managers leave alone: menus and the like, and their own frames.
    fn left_alone(&self, ids: &[Window]) -> Result<HashSet<Window>, Fault> {
        let mut found = HashSet::new();
        for some in ids.chunks(AT_ONCE) {
            let asked = some.iter().map(|id| Ok((*id, self.connection.get_window_attributes(*id)?)));
            for (id, cookie) in asked.collect::<Result<Vec<_>, Fault>>()? {
                let attributes = cookie.reply().map(Some).map_err(Fault::from).or_else(Fault::or_gone)?;
                if attributes.is_some_and(|attributes| attributes.override_redirect) {
                    found.insert(id);
                }
            }
        }
        Ok(found)
    }

    /// Adds the popups of excluded programs. Those of simple toolkits have no name, and do not say to which window they belong.
    fn judge(
        &self,
        secret: &HashMap<Window, bool>,
        popups: &HashSet<Window>,
        known: &HashMap<Window, Identity>,
    ) -> HashMap<Window, Judged> {
        let program = |id: Window| id & !self.connection.setup().resource_id_mask;
        let excluded = known.iter().filter(|(_, identity)| identity.is_excluded);
        let programs: HashSet<u32> = excluded.map(|(id, _)| program(*id)).collect();
        let judged = secret.iter().map(|(id, is_excluded)| {
            let is_popup = popups.contains(id);
            let is_nobodys = is_popup && known.get(id).is_none_or(|one| one.transient_for.is_none());
            let is_excluded = *is_excluded || is_nobodys && programs.contains(&program(*id));
            (*id, Judged { is_excluded, is_popup })
        });
        judged.collect()
    }

    /// Learns who some windows say they are. One that is gone is nobody.
    fn identify(
        &self,
        ids: &[Window],
        excluded: &Excluded,
        known: &mut HashMap<Window, Identity>,
    ) -> Result<(), Fault> {
        for some in ids.chunks(AT_ONCE) {
            let asked = some.iter().map(|id| {
                let ask = |property: u32| self.ask(*id, property);
                let names = [ask(AtomEnum::WM_NAME.into())?, ask(self.atoms._NET_WM_NAME)?];
                let (class, state) = (ask(AtomEnum::WM_CLASS.into())?, ask(self.atoms.WM_STATE)?);
                let transient = ask(AtomEnum::WM_TRANSIENT_FOR.into())?;
                Ok((*id, names, class, state, transient, self.connection.query_tree(*id)?))
            });
            for (id, names, class, state, transient, tree) in asked.collect::<Result<Vec<_>, Fault>>()? {
                let read = || -> Result<Identity, Fault> {
                    let class = class.reply()?;
                    let mut is_excluded = is_unreadable(&class);
                    let class = text(&class);
                    let [name, net_name] = names;
                    let (name, net_name) = (name.reply()?, net_name.reply()?);
                    // Old programs write other letters in a way that is not read here.
                    is_excluded |= excluded.is_foreign() && net_name.value.is_empty() && is_switched(&name);
                    for name in [name, net_name] {
                        is_excluded |= is_unreadable(&name) || excluded.hides(&text(&name), &class);
                    }
                    let is_managed = !state.reply()?.value.is_empty();
                    let transient_for = numbers(&transient.reply()?).first().copied().filter(|of| *of != 0);
                    Ok(Identity { is_excluded, is_managed, transient_for, children: tree.reply()?.children })
                };
                let identity = read().map(Some).or_else(Fault::or_gone)?;
                known.insert(id, identity.unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// Whether a name says more than anybody reads, or is no text at all.
fn is_unreadable(name: &GetPropertyReply) -> bool {
    name.bytes_after > 0 || !name.value.is_empty() && name.format != 8
}

/// Whether a name switches between sets of letters, as `COMPOUND_TEXT` does.
fn is_switched(name: &GetPropertyReply) -> bool {
    name.value.contains(&0x1b)
}
