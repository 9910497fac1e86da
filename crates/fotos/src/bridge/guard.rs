//! What every call of an agent passes in the application: the pause switch, restrictions, and the record of who asked for what.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use mcp::{Changes, Content, Cx, Fail, Handled, Outcome, Request, Server, Service, Surface, Target, code};
use uuid::Uuid;

use super::restrictions::Restrictions;
use super::{ADOPT, adopt, with_methods};
use crate::activity::{self, Pause};
use crate::agent::Limits;
use crate::events::Event;
use crate::host::Host;
use crate::screenshot::Left;
use crate::{State, limited, server_of};

/// As many different sets of restrictions as are kept at hand.
const MOST_SETS: usize = 16;

/// The longest name of a program that is shown.
const LONGEST_NAME: usize = 100;

/// The server of a host, as agents have it.
pub struct Guard {
    host: Arc<Host>,
    server: Server<State>,
    surface: Arc<Surface>,
    /// The same server with the limits of some relays.
    limited: Mutex<Vec<(Limits, Arc<Server<State>>)>>,
}

impl Guard {
    /// Guards a host.
    pub fn new(host: Arc<Host>) -> Guard {
        let server = server_of(Arc::clone(&host));
        let surface = if host.is_application() { Arc::new(with_methods(&server)) } else { server.surface() };
        Guard { host, server, surface, limited: Mutex::default() }
    }

    /// The server for these limits.
    fn server_for(&self, limits: &Limits) -> Option<Arc<Server<State>>> {
        if *limits == Limits::default() {
            return None;
        }
        let mut known = self.limited.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, server)) = known.iter().find(|(of, _)| of == limits) {
            return Some(Arc::clone(server));
        }
        let server = Arc::new(limited(Arc::clone(&self.host), limits.clone()));
        if known.len() >= MOST_SETS {
            known.remove(0);
        }
        known.push((limits.clone(), Arc::clone(&server)));
        Some(server)
    }

    /// Why a call is not served, if it is not.
    fn objection(
        &self,
        request: &Request<'_>,
        restrictions: &Restrictions,
    ) -> Option<(Fail, activity::Outcome)> {
        if let Some(pause) = self.host.activity.pause() {
            return Some((paused(pause), activity::Outcome::Paused));
        }
        if let Target::Tool { name, .. } = &request.target
            && restrictions.read_only
            && self.surface.tool(name).is_some_and(|tool| !tool.hints.read_only)
        {
            let message = format!("`{name}` changes something, and this connection only reads");
            return Some((Fail::rpc(code::UNAVAILABLE, message), activity::Outcome::Refused));
        }
        None
    }

    fn serve(&self, request: &Request<'_>, cx: Cx, restrictions: &Restrictions) -> Handled {
        match self.server_for(&restrictions.limits()) {
            None => self.server.handle(request, cx),
            Some(server) => server.handle(request, cx),
        }
    }
}

impl Service for Guard {
    fn surface(&self) -> Arc<Surface> {
        Arc::clone(&self.surface)
    }

    fn changes(&self) -> &Changes {
        self.server.changes()
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        let asked = match &request.target {
            Target::Tool { name, .. } | Target::Method { name } => name.to_string(),
            Target::Resource { uri } => format!("resources/read {uri}"),
            Target::Prompt { name, .. } => format!("prompts/get {name}"),
            Target::Completion { .. } => "completion/complete".to_owned(),
            _ => "something else".to_owned(),
        };
        let client = cx.client().map_or_else(|| "an unnamed program".to_owned(), |client| client.name);
        let client: String =
            client.chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect();
        let asked: String = asked.chars().take(2 * LONGEST_NAME).collect();
        let entry = |outcome| {
            let number = self.host.activity.begin(client.clone(), cx.caller().pid, asked.clone(), outcome);
            self.host.events.tell(&Event::Agents);
            number
        };
        let restrictions = match Restrictions::of(&cx) {
            Ok(restrictions) => restrictions,
            Err(fail) => {
                entry(activity::Outcome::Refused);
                return Handled::Now(Outcome::Fail(fail));
            }
        };
        // Handing over is no agent's wish, and only a program of the person's gets here with it.
        let is_adoption = self.host.is_application() && asked == ADOPT;
        if !is_adoption && let Some((fail, outcome)) = self.objection(request, &restrictions) {
            entry(outcome);
            return Handled::Now(Outcome::Fail(fail));
        }
        let number = entry(activity::Outcome::Running);
        let shows =
            if is_adoption || LISTS.contains(&asked.as_str()) { Shows::Nothing } else { Shows::Pictures };
        let host = Arc::clone(&self.host);
        let mut call = Call { host, client, number, shows, outcome: activity::Outcome::Cancelled };
        call.note(request.params().map_or("", |params| params.get()));
        let handled = if is_adoption {
            adopt::handle(&self.host, request, &call.client)
        } else {
            self.serve(request, cx, &restrictions)
        };
        match handled {
            Handled::Now(outcome) => {
                call.finish(&outcome);
                Handled::Now(outcome)
            }
            Handled::Later(future) if is_adoption => Handled::Later(Box::pin(async move {
                let outcome = future.await;
                call.finish(&outcome);
                outcome
            })),
            Handled::Later(future) => Handled::Later(Box::pin(async move {
                match unless_paused(&call.host.activity, future).await {
                    Ok(outcome) => {
                        call.finish(&outcome);
                        outcome
                    }
                    Err(fail) => {
                        call.pause();
                        Outcome::Fail(fail)
                    }
                }
            })),
        }
    }
}

/// What is asked for only to learn what there is.
const LISTS: [&str; 2] = ["list_screenshots", "resources/read screenshots://recent"];

/// Whether an answer may show the pictures whose names are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shows {
    Pictures,
    Nothing,
}

/// What becomes of a call, unless the person pauses agents before it is done: one that waits must not look at the screen then.
async fn unless_paused(
    activity: &activity::Activity,
    mut call: mcp::BoxFuture<Outcome>,
) -> Result<Outcome, Fail> {
    let mut pause = pin!(activity.until_paused());
    poll_fn(|context| {
        if let Poll::Ready(pause) = pause.as_mut().poll(context) {
            return Poll::Ready(Err(paused(pause)));
        }
        call.as_mut().poll(context).map(Ok)
    })
    .await
}

/// What a call is answered with while agents are paused.
fn paused(pause: Pause) -> Fail {
    let message = match pause {
        Pause::Person => {
            "The person paused agents in the Fotos application; ask them to let agents go on, and try again then"
        }
        Pause::Settings => {
            "Agents are paused: the settings of the Fotos application could not be read, and so it does not know what the \
             person excluded. Ask the person to look at them and to let agents go on, and try again then"
        }
    };
    Fail::rpc(code::UNAVAILABLE, message)
}

/// A call under way. One that is dropped before it is finished was cancelled.
struct Call {
    host: Arc<Host>,
    client: String,
    number: u64,
    shows: Shows,
    outcome: activity::Outcome,
}

impl Call {
    fn pause(&mut self) {
        self.outcome = activity::Outcome::Paused;
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.outcome = match outcome {
            Outcome::Reply(reply) if reply.is_error() => activity::Outcome::Failed,
            Outcome::Fail(_) => activity::Outcome::Failed,
            _ => activity::Outcome::Done,
        };
        if let Outcome::Reply(reply) = outcome {
            for content in reply.content() {
                if let Content::Text(text) = content {
                    self.note(text);
                }
            }
        }
    }

    /// Takes note that this agent has the screenshots that are named here.
    fn note(&self, text: &str) {
        if self.shows == Shows::Nothing {
            return;
        }
        for id in ids_in(text) {
            if let Ok(screenshot) = self.host.store.get(&id.to_string())
                && (screenshot.is_shared() || screenshot.by() == crate::screenshot::By::Agent)
            {
                self.host.note_left(id, Left::Agent { client: self.client.clone() });
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.host.activity.end(self.number, self.outcome);
        self.host.events.tell(&Event::Agents);
    }
}

/// The names of screenshots in a text.
fn ids_in(text: &str) -> BTreeSet<Uuid> {
    const LENGTH: usize = 36;
    /// As many screenshots as there are.
    const MOST: usize = 1_000;
    let bytes = text.as_bytes();
    let mut found = BTreeSet::new();
    let mut at = 0;
    while let Some(piece) = bytes.get(at..at + LENGTH) {
        if found.len() >= MOST {
            break;
        }
        let is_id = piece[8] == b'-' && piece[13] == b'-' && piece[18] == b'-' && piece[23] == b'-';
        match is_id.then(|| Uuid::try_parse_ascii(piece).ok()).flatten() {
            Some(id) => {
                found.insert(id);
                at += LENGTH;
            }
            None => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::ids_in;

    #[test]
    fn names_are_found_wherever_they_stand() {
        let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        assert_eq!(ids_in(&format!(r#"{{"a":"{id}","b":"screenshots://{id}/ocr"}}"#)).len(), 1);
        assert_eq!(ids_in(id).len(), 1);
        assert!(ids_in("67e55044-10b1-426f-9247-bb680e5fe0c").is_empty() && ids_in("ü--").is_empty());
    }
}
