//! Taking pictures for the person: whole screens, windows, and regions chosen on a frozen one.

use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use geometry::Rect;
use serde::{Deserialize, Serialize};
use serde_json::json;
use web::axum::extract::{Query, State};

use super::failure::{Answer, Failure, json, read, typed};
use super::{Shared, Site};
use crate::capture::{Cursor, Target, Which, Window, Wish};
use crate::error::Error;
use crate::events::Event;
use crate::host::Picked;
use crate::screenshot::{Mode, Screenshot};

impl Site {
    fn cursor(&self) -> Cursor {
        if self.host.settings().capture.include_mouse_cursor { Cursor::Shown } else { Cursor::Hidden }
    }

    /// Takes the window away, does something, and brings it back.
    async fn aside(self: &Arc<Self>) -> Aside {
        let site = Arc::clone(self);
        // Where that fails, the window is in the picture, which the person sees.
        let _ = tokio::task::spawn_blocking(move || site.desktop.step_aside()).await;
        Aside(Some(Arc::clone(self)))
    }

    fn set_frozen(&self, frozen: Option<Arc<Screenshot>>) -> Option<Arc<Screenshot>> {
        std::mem::replace(&mut *self.frozen.lock().unwrap_or_else(PoisonError::into_inner), frozen)
    }

    fn frozen(&self) -> Result<Arc<Screenshot>, Failure> {
        let frozen = self.frozen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        frozen.ok_or_else(|| Failure::bad("nothing is frozen; take a new picture"))
    }
}

/// The window is away as long as this is there.
struct Aside(Option<Arc<Site>>);

impl Aside {
    /// The window comes back later.
    fn stay_away(mut self) {
        self.0 = None;
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if let Some(site) = &self.0 {
            site.desktop.come_back();
        }
    }
}

/// `POST capture`
pub(super) async fn capture(State(site): Shared, bytes: Bytes) -> Answer {
    let picked: Picked = read(&bytes)?;
    let aside = site.aside().await;
    let shot = site.host.snap(picked, site.cursor()).await;
    drop(aside);
    Ok(json(&site.host.shot(&shot?.id().to_string())?))
}

/// `POST capture/repeat`: the region that was chosen last, as it is now.
pub(super) async fn repeat(State(site): Shared) -> Answer {
    let last = *site.last.lock().unwrap_or_else(PoisonError::into_inner);
    let region = last.ok_or_else(|| Failure::bad("no region was chosen yet; choose one first"))?;
    let aside = site.aside().await;
    let shot = site.host.snap(Picked::Fullscreen { region: Some(region) }, site.cursor()).await;
    drop(aside);
    Ok(json(&site.host.shot(&shot?.id().to_string())?))
}

/// `GET monitors`
pub(super) async fn monitors(State(site): Shared) -> Answer {
    Ok(json(&site.host.monitors().await?))
}

/// A window to choose, by its number: several may have the same title.
#[derive(Serialize)]
struct Choice {
    number: u32,
    #[serde(flatten)]
    window: Window,
}

/// `GET windows`: those of others.
pub(super) async fn windows(State(site): Shared) -> Answer {
    let windows = site.host.windows().await?.into_iter();
    let others = windows.filter(|window| window.pid != Some(std::process::id()));
    let choices: Vec<Choice> = others.map(|window| Choice { number: window.number, window }).collect();
    Ok(json(&choices))
}

#[derive(Deserialize)]
pub(super) struct Numbered {
    number: u32,
}

/// `GET windows/picture?number=`: a small picture of a window, to choose it by. Nothing is kept.
pub(super) async fn window_picture(State(site): Shared, Query(wanted): Query<Numbered>) -> Answer {
    let target = Target::Window(Which::Numbered(wanted.number));
    let wish = Wish { target, region: None, cursor: Cursor::Hidden, excluded: site.host.excluded(&[]) };
    let shot = site.host.glance(wish).await?.shot;
    let small = site.host.work(move |_| {
        let screenshot = Screenshot::captured(Mode::Window, shot);
        screenshot.thumbnail(320, &screenshot)
    });
    Ok(typed("image/png", small.await?))
}

/// `POST frozen`: freezes all monitors for a region to be chosen, on the screen itself where there is a desktop.
pub(super) async fn freeze(State(site): Shared) -> Answer {
    freeze_all(&site).await?;
    frozen_info(State(site)).await
}

pub(super) async fn freeze_all(site: &Arc<Site>) -> Result<(), Failure> {
    let is_overlay = site.desktop.abilities().overlay;
    let _alone = site.taking.lock().await;
    // The key was pressed again: another picture would show the windows that show this one.
    if is_overlay && site.frozen().is_ok() {
        return Ok(());
    }
    let aside = site.aside().await;
    let excluded = site.host.excluded(&[]);
    let wish = Wish { target: Target::Fullscreen, region: None, cursor: site.cursor(), excluded };
    let shot = site.host.glance(wish).await?.shot;
    let frozen = Arc::new(Screenshot::captured(Mode::Fullscreen, shot));
    site.set_frozen(Some(frozen));
    if is_overlay {
        let desktop = Arc::clone(site);
        let shown = tokio::task::spawn_blocking(move || desktop.desktop.show_frozen()).await;
        if let Err(failure) =
            shown.map_err(|_| Failure::from(Error::Interrupted)).and_then(|shown| Ok(shown?))
        {
            thaw(site);
            return Err(failure);
        }
        // Until a region was chosen.
        aside.stay_away();
    }
    Ok(())
}

/// A picture of all monitors, begun from outside of the pages.
pub(super) async fn take_all(site: &Arc<Site>) -> Result<(), Failure> {
    let _alone = site.taking.lock().await;
    // A picture would show the windows in which a region is being chosen.
    if site.desktop.abilities().overlay && site.frozen().is_ok() {
        return Ok(());
    }
    let aside = site.aside().await;
    let shot = site.host.snap(Picked::Fullscreen { region: None }, site.cursor()).await?;
    drop(aside);
    site.host.events.tell(&Event::Taken(shot.id()));
    Ok(())
}

/// `GET frozen`: where it was taken, and the windows in it, which one click takes.
pub(super) async fn frozen_info(State(site): Shared) -> Answer {
    let (frozen, overlay) = (site.frozen()?, site.desktop.abilities().overlay);
    Ok(json(&json!({ "box": frozen.place(), "windows": frozen.windows(), "overlay": overlay })))
}

/// `GET frozen/picture?x=&y=&width=&height=`: all of it, or the part on one monitor.
pub(super) async fn frozen_picture(State(site): Shared, Query(part): Query<Part>) -> Answer {
    let frozen = site.frozen()?;
    let png = site.host.work(move |_| match part.region() {
        None => frozen.png(),
        Some(region) => Screenshot::cropped(&frozen, region)?.png(),
    });
    Ok(typed("image/png", png.await?))
}

#[derive(Deserialize)]
pub(super) struct Part {
    x: Option<i32>,
    y: Option<i32>,
    width: Option<u32>,
    height: Option<u32>,
}

impl Part {
    fn region(&self) -> Option<Rect> {
        Some(Rect { x: self.x?, y: self.y?, width: self.width?, height: self.height? })
    }
}

#[derive(Deserialize)]
struct Chosen {
    region: Rect,
}

/// `POST frozen/choose`: the region becomes a screenshot, and the rest is forgotten.
pub(super) async fn choose(State(site): Shared, bytes: Bytes) -> Answer {
    let Chosen { region } = read(&bytes)?;
    let frozen = site.frozen()?;
    let kept = site
        .host
        .work(move |host| Ok(host.keep(Screenshot::cropped(&frozen, region)?.by_person().without_parent())))
        .await?;
    *site.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(region);
    let id = kept.id().to_string();
    if site.host.settings().agents.share_new {
        site.host.share(&id, true)?;
    }
    let is_overlay = site.desktop.abilities().overlay;
    thaw(&site);
    if is_overlay {
        // The window hears of it: that of the overlay, which asked, is about to go.
        site.host.events.tell(&Event::Taken(kept.id()));
    }
    Ok(json(&site.host.shot(&id)?))
}

/// `POST frozen/cancel`
pub(super) async fn cancel(State(site): Shared) -> Answer {
    thaw(&site);
    Ok(json(&json!({})))
}

pub(super) fn thaw(site: &Arc<Site>) {
    if let Some(frozen) = site.set_frozen(None) {
        frozen.wipe();
    }
    if site.desktop.abilities().overlay {
        site.desktop.hide_frozen();
        site.desktop.come_back();
    }
}
