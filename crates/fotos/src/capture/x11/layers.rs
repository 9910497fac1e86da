//! What lies directly on the root window, and whether nobody is to see it. What cannot be made sure of counts as excluded, and
//! where even that is not enough there is no picture.

use std::collections::HashMap;

use geometry::Rect;
use x11rb::connection::RequestConnection;
use x11rb::protocol::shape::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, MapState, Window, WindowClass};

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
}

/// Questions that are under way at once.
const AT_ONCE: usize = 256;

/// More windows than any desktop shows; with more there is no picture.
const MOST_SHOWN: usize = 8_192;

/// How deep a program's window lies in frames, at most.
const DEEPEST: usize = 4;

/// How many windows a frame consists of, at most; one with more is not looked through and counts as excluded.
const MOST_IN_A_FRAME: usize = 256;

/// How many windows of a program's own window are looked at: other programs may be embedded there. Some programs draw with
/// hundreds.
const MOST_IN_A_CLIENT: usize = 64;

/// How far a dialog is from the window it belongs to.
const MOST_TRANSIENT: usize = 8;

/// A window somewhere in another.
struct Inside {
    id: Window,
    /// The one that is asked about.
    top: Window,
    /// Whether it lies in a program's window.
    in_client: bool,
}

/// Who a window says it is.
#[derive(Debug, Clone, Default)]
struct Identity {
    is_excluded: bool,
    /// Whether it is a program's window.
    is_client: bool,
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
                layer.excluded = secret.get(&layer.id).copied().unwrap_or(true);
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
                layers.push(Layer { id, rect, opaque, excluded: false });
            }
        }
        Ok(layers)
    }

    /// Which of these nobody is to see: by their own names, by those of the windows in them, and by those they belong to.
    pub(super) fn secret(
        &self,
        tops: &[Window],
        excluded: &Excluded,
    ) -> Result<HashMap<Window, bool>, Fault> {
        let mut known: HashMap<Window, Identity> = HashMap::new();
        let mut level: Vec<Inside> =
            tops.iter().map(|id| Inside { id: *id, top: *id, in_client: false }).collect();
        let mut secret: HashMap<Window, bool> = tops.iter().map(|id| (*id, false)).collect();
        let mut counts: HashMap<(Window, bool), usize> = HashMap::new();
        let mut transients = Vec::new();
        for _ in 0..DEEPEST {
            let ids: Vec<Window> = level.iter().map(|inside| inside.id).collect();
            self.identify(&ids, excluded, &mut known)?;
            let mut below = Vec::new();
            for Inside { id, top, in_client } in level {
                let Some(identity) = known.get(&id) else { continue };
                if identity.is_excluded {
                    secret.insert(top, true);
                }
                transients.extend(identity.transient_for.map(|of| (of, top)));
                let in_client = in_client || identity.is_client;
                let most = if in_client { MOST_IN_A_CLIENT } else { MOST_IN_A_FRAME };
                let count = counts.entry((top, in_client)).or_default();
                let room = most.saturating_sub(*count);
                *count += identity.children.len();
                if *count > most && !in_client {
                    secret.insert(top, true);
                }
                let children = identity.children.iter().rev().take(room);
                below.extend(children.map(|child| Inside { id: *child, top, in_client }));
            }
            level = below;
        }
        // Nobody knows what lies in a frame that deep.
        secret.extend(level.iter().filter(|inside| !inside.in_client).map(|inside| (inside.top, true)));
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
        Ok(secret)
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
                    let class = text(&class.reply()?);
                    let mut is_excluded = false;
                    for name in names {
                        let name = name.reply()?;
                        // The end of a name that long is not known.
                        is_excluded |= name.bytes_after > 0 || excluded.hides(&text(&name), &class);
                    }
                    let is_client = !state.reply()?.value.is_empty() || !class.is_empty();
                    let transient_for = numbers(&transient.reply()?).first().copied().filter(|of| *of != 0);
                    Ok(Identity { is_excluded, is_client, transient_for, children: tree.reply()?.children })
                };
                let identity = read().map(Some).or_else(Fault::or_gone)?;
                known.insert(id, identity.unwrap_or_default());
            }
        }
        Ok(())
    }
}
