//! From nothing to a far side that offers what we offer. All who need it at the same time share one attempt.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::changes::Change;
use crate::client::{self, Client, Subject, Subscription};
use crate::code;
use crate::echo::shown;
use crate::fail::Fail;
use crate::run;
use crate::service::BoxFuture;
use crate::stream::Stream;
use crate::surface::Surface;

use super::{Far, Inner, Look, Showing, State};

/// How long after the end of a connection we look whether there is a new far side.
const AFTER_LOSS: Duration = Duration::from_millis(100);

/// How long what is done with a new connection before the first call may take.
const PREPARATION: Duration = Duration::from_secs(60);

/// Makes connections to the far side.
pub trait Connect: Send + Sync + 'static {
    /// Connects. `NotFound` and `ConnectionRefused` mean that nobody is there; any other error is an answer to calls.
    fn connect(&self) -> BoxFuture<io::Result<Stream>>;
}

impl<F, T> Connect for F
where
    F: Fn() -> T + Send + Sync + 'static,
    T: Future<Output = io::Result<Stream>> + Send + 'static,
{
    fn connect(&self) -> BoxFuture<io::Result<Stream>> {
        Box::pin(self())
    }
}

/// Connects to a Unix socket by its path; on Windows, to a named pipe by its name.
pub fn local(address: impl Into<std::path::PathBuf>) -> impl Connect {
    let address = address.into();
    move || crate::sys::connect(address.clone())
}

/// Why the far side does not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// Nobody is there. Nothing was sent.
    #[error("the server behind this one is not running; start it and try again")]
    Absent,
    /// Somebody is there, but cannot be talked to. Nothing was sent.
    #[error("the server behind this one cannot be reached: {0}")]
    Unreachable(String),
    /// Somebody else is there. Nothing was sent.
    #[error(
        "the server behind this one is version {theirs}, and this is version {ours}, which offers something else; update both and restart them"
    )]
    Incompatible {
        /// Our version.
        ours: String,
        /// Their version.
        theirs: String,
    },
    /// The call itself failed.
    #[error("{0}")]
    Call(client::Error),
}

type Reached = Result<Client, Trouble>;

/// A connection that was just made.
struct Fresh {
    client: Client,
    lists: Option<Subscription>,
    listed: Option<Arc<Surface>>,
}

/// An attempt under way, and what becomes of it.
pub(super) type Attempt = watch::Receiver<Option<Reached>>;

impl Inner {
    /// The far side, connected if need be.
    pub(super) async fn reach(self: &Arc<Self>) -> Reached {
        let mut attempt = {
            let mut state = self.state();
            match &state.far {
                Far::There(client) if !client.is_closed() => return Ok(client.clone()),
                Far::Connecting(attempt) => attempt.clone(),
                Far::There(_) | Far::Apart => self.start_attempt(&mut state),
            }
        };
        let reached = attempt.wait_for(Option::is_some).await.ok().and_then(|reached| reached.clone());
        reached.unwrap_or_else(|| Err(Trouble::Unreachable("the attempt to connect was given up".to_owned())))
    }

    pub(super) fn start_attempt(self: &Arc<Self>, state: &mut State) -> Attempt {
        let (sender, attempt) = watch::channel(None);
        state.far = Far::Connecting(attempt.clone());
        let inner = Arc::clone(self);
        let started = self.workers.spawn(async move {
            // Whoever makes the connection may panic; without an end, nobody would ever try again.
            let attempted = run::caught(pin!(inner.attempt())).await;
            let reached = inner.settle(attempted.unwrap_or_else(|| {
                Err(Trouble::Unreachable("connecting to it failed; see the log".to_owned()))
            }));
            // Nobody may be waiting any more.
            let _ = sender.send(Some(reached));
        });
        if let Err(error) = started {
            state.far = Far::Apart;
            let failed = Trouble::Unreachable(format!("cannot start a thread: {error}"));
            return watch::channel(Some(Err(failed))).1;
        }
        attempt
    }

    async fn attempt(self: &Arc<Self>) -> Result<Fresh, Trouble> {
        let patience = self.options.limits.greeting;
        let stream = match tokio::time::timeout(patience, self.connect.connect()).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                return Err(match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Trouble::Absent,
                    _ => Trouble::Unreachable(error.to_string()),
                });
            }
            Err(_) => return Err(silent(patience)),
        };
        let client = Client::new(stream, self.options.limits);
        let greeting = client.discover().await.map_err(|error| match error {
            // It went away while we came.
            client::Error::Closed | client::Error::Lost => Trouble::Absent,
            client::Error::Silent(_) => silent(patience),
            other => Trouble::Unreachable(other.to_string()),
        })?;
        let ours = &self.surface.identity().version;
        if greeting.identity.version != *ours || greeting.surface.as_deref() != Some(self.surface.hash()) {
            let theirs = shown(&greeting.identity.version).into_owned();
            return Err(Trouble::Incompatible { ours: ours.clone(), theirs });
        }
        // Before the lists are read and any call is sent: what changes from now on is heard of.
        let lists = self.subscribe(&client, &Subject::Lists);
        let listed = if greeting.offers_more {
            Some(self.list(&client).await.map_err(|error| Trouble::Unreachable(error.to_string()))?)
        } else {
            None
        };
        if let Some(prepare) = &self.options.prepare
            && tokio::time::timeout(PREPARATION, prepare(client.clone())).await.is_err()
        {
            return Err(Trouble::Unreachable(format!(
                "it is there, but was not ready within {} s; restart it",
                PREPARATION.as_secs()
            )));
        }
        Ok(Fresh { client, lists, listed })
    }

    /// Takes note of what became of an attempt.
    fn settle(self: &Arc<Self>, reached: Result<Fresh, Trouble>) -> Reached {
        let mut state = self.state();
        let before = self.current(&state);
        let was_seen = self.options.fallback.is_none() || state.look == Look::Done;
        let (was_looked_for, shown_before) = (state.look == Look::Done, state.showing);
        state.look = Look::Done;
        let reached = match reached {
            Ok(Fresh { client, lists, listed }) => {
                for (uri, subscription) in &mut state.watched {
                    *subscription = self.subscribe(&client, &Subject::Resource(uri.clone()));
                }
                self.tell_when_lost(&client);
                state.far = Far::There(client.clone());
                state.showing = Showing::Far;
                state.listed = listed;
                state.lists = lists;
                self.refresh(&mut state);
                Ok(client)
            }
            Err(trouble) => {
                state.far = Far::Apart;
                // One that is there is shown all the same: calls are answered with what is wrong.
                state.showing = if trouble == Trouble::Absent { Showing::Fallback } else { Showing::Far };
                state.listed = None;
                state.lists = None;
                Err(trouble)
            }
        };
        let now = self.current(&state);
        // The resources of another server, or of the same one after an absence: nobody knows what changed in between.
        let read_anew: Vec<String> = if was_looked_for && (reached.is_ok() || state.showing != shown_before) {
            state.watched.keys().cloned().collect()
        } else {
            Vec::new()
        };
        drop(state);
        self.looked.ring();
        if was_seen && !Arc::ptr_eq(&before, &now) {
            for change in &before.differences(&now) {
                self.changes.tell(change);
            }
        }
        for uri in read_anew {
            self.changes.tell(&Change::Resource(uri));
        }
        reached
    }

    /// When the connection ends, looks at once whether somebody else is there: clients learn what is offered now.
    fn tell_when_lost(self: &Arc<Self>, client: &Client) {
        let (closed, relay) = (client.closed(), Arc::downgrade(self));
        let watching = self.workers.spawn(async move {
            closed.await;
            // A far side that hangs up on everybody must not keep us busy. Calls need not wait: they connect themselves.
            tokio::time::sleep(AFTER_LOSS).await;
            if let Some(inner) = relay.upgrade() {
                let _ = inner.reach().await;
            }
        });
        drop(watching);
    }

    /// Looks for the far side from time to time, as long as there is a relay.
    pub(super) fn start_probing(self: &Arc<Self>, state: &mut State) {
        let Some(interval) = self.options.probe else { return };
        let relay = Arc::downgrade(self);
        let probing = self.workers.spawn(async move {
            while let Some(inner) = relay.upgrade() {
                if inner.connected().is_none() {
                    let _ = inner.reach().await;
                }
                drop(inner);
                tokio::time::sleep(interval).await;
            }
        });
        state.probing = probing.is_ok();
    }

    pub(super) fn explain(&self, trouble: &Trouble) -> Fail {
        match &self.options.explain {
            Some(explain) => explain(trouble),
            None => Fail::rpc(code::UNAVAILABLE, capitalised(&trouble.to_string())),
        }
    }
}

fn silent(patience: Duration) -> Trouble {
    Trouble::Unreachable(format!(
        "it is there, but did not greet within {} s; restart it",
        patience.as_secs()
    ))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
