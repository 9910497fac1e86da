//! What clients are told of what happens: only of screenshots that agents see, or saw until now.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcp::{Change, Changes};
use uuid::Uuid;

use crate::agent::is_seen;
use crate::events::{Event, Listening};
use crate::host::Host;
use crate::resources;

/// Tells `changes` of the events of a host until the handle is dropped.
pub(crate) fn listen(host: &Arc<Host>, changes: Changes) -> Listening {
    let seen = host.store.all().iter().filter(|one| is_seen(one)).map(|one| one.id()).collect();
    let seen: Mutex<HashSet<Uuid>> = Mutex::new(seen);
    let listened = Arc::downgrade(host);
    host.events.listen(move |event| tell(&changes, event, &listened, &seen))
}

fn tell(changes: &Changes, event: &Event, host: &Weak<Host>, seen: &Mutex<HashSet<Uuid>>) {
    let id = match event {
        Event::Settings => return changes.tell(&Change::Resource(resources::SETTINGS.to_owned())),
        Event::Opened(_) | Event::Taken(_) | Event::Agents | Event::History => return,
        Event::Added(id) | Event::Read(id) | Event::Removed(id) | Event::Changed(id) => *id,
    };
    let is_seen_now = host
        .upgrade()
        .and_then(|host| host.store.get(&id.to_string()).ok())
        .is_some_and(|screenshot| is_seen(&screenshot));
    let was_seen = {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if is_seen_now { !seen.insert(id) } else { seen.remove(&id) }
    };
    if !is_seen_now && !was_seen {
        return;
    }
    let uri = format!("screenshots://{id}");
    match event {
        Event::Read(_) => return changes.tell(&Change::Resource(format!("{uri}/ocr"))),
        Event::Removed(_) | Event::Changed(_) => changes.tell(&Change::Resource(uri)),
        Event::Added(_)
        | Event::Opened(_)
        | Event::Taken(_)
        | Event::Settings
        | Event::History
        | Event::Agents => {}
    }
    changes.tell(&Change::Resources);
    changes.tell(&Change::Resource(resources::RECENT.to_owned()));
}
