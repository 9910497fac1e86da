//! The host as agents have it: what they took and what the person shared, with every restriction that came with the call.

use std::ops::Deref;
use std::sync::Arc;

use geometry::Rect;

use crate::capture::{Cursor, Excluded, Target, Window, Wish};
use crate::error::Error;
use crate::host::{Glance, Host};
use crate::screenshot::{By, Screenshot};
use crate::settings::Settings;
use crate::store::List;

/// The host as agents have it.
pub(crate) struct Agent {
    host: Arc<Host>,
    /// The screenshots agents see.
    pub(crate) store: Seen,
    limits: Limits,
}

/// What a relay forbids besides what the host does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Limits {
    /// Parts of titles and classes of windows that are left out of every picture.
    pub(crate) exclude: Vec<String>,
    /// Whether what is private is taken out of every picture before a model gets it.
    pub(crate) redact: bool,
}

/// The screenshots agents see.
pub(crate) struct Seen {
    host: Arc<Host>,
}

impl Deref for Agent {
    type Target = Arc<Host>;

    fn deref(&self) -> &Arc<Host> {
        &self.host
    }
}

impl Agent {
    pub(crate) fn new(host: Arc<Host>, limits: Limits) -> Agent {
        Agent { store: Seen { host: Arc::clone(&host) }, host, limits }
    }

    fn excluded(&self) -> Arc<Excluded> {
        self.host.excluded(&self.limits.exclude)
    }

    /// The settings, as they are for this agent.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        let settings = self.host.settings();
        if !self.limits.redact || settings.ai.redact_before_sending {
            return settings;
        }
        let mut stricter = (*settings).clone();
        stricter.ai.redact_before_sending = true;
        Arc::new(stricter)
    }

    fn wish(&self, target: Target, region: Option<Rect>, cursor: Cursor) -> Wish {
        Wish { target, region, cursor, excluded: self.excluded() }
    }

    /// Takes a picture without keeping it, as soon as there is room for one.
    pub(crate) async fn glance(&self, target: Target, region: Option<Rect>) -> Result<Glance, Error> {
        self.host.glance(self.wish(target, region, Cursor::Hidden)).await
    }

    /// Takes a picture, keeps it, and tells the person and those who watch.
    pub(crate) async fn capture(
        &self,
        target: Target,
        region: Option<Rect>,
        cursor: Cursor,
    ) -> Result<Arc<Screenshot>, Error> {
        self.host.capture(self.wish(target, region, cursor), By::Agent).await
    }

    /// The windows there are, the uppermost first, without those nobody is to see.
    pub(crate) async fn windows(&self) -> Result<Vec<Window>, Error> {
        self.host.windows_without(self.excluded()).await
    }

    /// Forgets a screenshot that agents took, unless the person works on it.
    pub(crate) fn delete(&self, id: &str) -> Result<Arc<Screenshot>, Error> {
        let screenshot = self.store.find(id)?;
        if !is_the_agents(&screenshot) {
            return Err(Error::NotYours { id: id.to_owned() });
        }
        self.host.delete(id)
    }

    /// Forgets all screenshots that agents took, unless the person works on them, and every line that was read in them. Returns how many there were.
    pub(crate) fn clear(&self) -> usize {
        self.host.clear_of(is_the_agents)
    }
}

/// Whether agents took it and the person has no part in it.
pub(crate) fn is_the_agents(screenshot: &Screenshot) -> bool {
    screenshot.by() == By::Agent && !screenshot.is_earlier() && !screenshot.document().is_touched()
}

impl Seen {
    fn find(&self, id: &str) -> Result<Arc<Screenshot>, Error> {
        let found = self.host.store.get(id)?;
        // The same answer as for one that is not there.
        if is_seen(&found) { Ok(found) } else { Err(Error::NotFound { id: id.to_owned() }) }
    }

    /// A screenshot as it looks with what is drawn on it.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Screenshot>, Error> {
        self.find(id)?;
        self.host.view(id)
    }

    /// The newest ones.
    pub(crate) fn list(&self, limit: usize) -> List {
        let mut list = self.host.store.list_of(limit, is_seen);
        for summary in &mut list.screenshots {
            // Its size is that of what is seen of it.
            if let Ok(view) = self.host.view(&summary.screenshot_id) {
                *summary = view.summary();
            }
        }
        list
    }

    /// The names of all of them, the newest first.
    pub(crate) fn ids(&self) -> Vec<String> {
        let all = self.host.store.all();
        all.iter().filter(|one| is_seen(one)).map(|one| one.id().to_string()).collect()
    }
}

/// History of earlier runs is the person's alone, unless they share it again.
pub(crate) fn is_seen(screenshot: &Screenshot) -> bool {
    screenshot.is_shared() || (screenshot.by() == By::Agent && !screenshot.is_earlier())
}
