//! From nothing to a far side that offers what we offer. All who need it at the same time share one attempt.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::client::{self, Client, Subject};
use crate::code;
use crate::fail::Fail;
use crate::service::BoxFuture;
use crate::stream::Stream;

use super::{Far, Inner, Showing, State};

/// How long after the end of a connection we look whether there is a new far side.
const AFTER_LOSS: Duration = Duration::from_millis(100);

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

/// Connects to a Unix socket.
#[cfg(unix)]
pub fn unix(path: impl Into<std::path::PathBuf>) -> impl Connect {
    let path = path.into();
    move || {
        let path = path.clone();
        async move { tokio::net::UnixStream::connect(path).await.map(Stream::from) }
    }
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
            let reached = inner.attempt().await;
            inner.settle(&reached);
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

    async fn attempt(&self) -> Reached {
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
            return Err(Trouble::Incompatible { ours: ours.clone(), theirs: greeting.identity.version });
        }
        Ok(client)
    }

    /// Takes note of what became of an attempt.
    fn settle(self: &Arc<Self>, reached: &Reached) {
        let mut state = self.state();
        let (far, showing) = match reached {
            Ok(client) => (Far::There(client.clone()), Showing::Far),
            Err(Trouble::Absent) => (Far::Apart, Showing::Fallback),
            // It is there: calls are answered with what is wrong.
            Err(_) => (Far::Apart, Showing::Far),
        };
        state.far = far;
        if let Ok(client) = reached {
            // Before any call is sent: what a call changes is heard of.
            state.lists = self.subscribe(client, &Subject::Lists);
            for (uri, subscription) in &mut state.watched {
                *subscription = self.subscribe(client, &Subject::Resource(uri.clone()));
            }
            self.tell_when_lost(client);
        }
        let changed = self.show(&mut state, showing);
        drop(state);
        for change in &changed {
            self.changes.tell(change);
        }
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
