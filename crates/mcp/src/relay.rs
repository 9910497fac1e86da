//! A service that has nothing of its own and passes every request on to another process.
//!
//! What it offers is compiled in, so that it can be listed at once; when a connection is made, the far side must have been
//! built with the very same. While the far side is not there, a service of our own may stand in for it, with offers of its own:
//! clients are told when the one takes the place of the other. A call that was sent is never sent again: if the connection
//! ends before the answer, the answer is an error.
//!
//! ```no_run
//! use mcp::relay::{Options, local};
//! use mcp::{Relay, Service};
//! # fn server() -> mcp::Server<()> { mcp::Server::new("hello", "1.0.0", ()) }
//!
//! // The same server as in the other process; it is asked only for what it offers.
//! let surface = server().surface();
//! let relay = Relay::new(surface, local("/run/user/1000/hello/socket"), Options::default());
//! mcp::stdio::serve(std::sync::Arc::new(relay), mcp::stdio::Limits::default())?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod answering;
mod connecting;
mod listing;
mod options;
mod sending;
mod showing;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use crate::bell::Bell;
use crate::changes::{Change, Changes, Listening, Observing, Watched};
use crate::client::{Client, Subject, Subscription};
use crate::cx::Cx;
use crate::lock::unpoisoned;
use crate::request::Request;
use crate::service::{Handled, Outcome, Service};
use crate::surface::Surface;
use crate::workers::Workers;

pub use connecting::{Connect, Trouble, local};
pub use options::Options;

use answering::Expected;
use connecting::Attempt;
use listing::Stale;
use sending::Route;
use showing::{Look, Showing, Shown};

/// A service that passes everything on.
pub struct Relay {
    inner: Arc<Inner>,
    _observing: Observing,
    _following: Option<Listening>,
}

struct Inner {
    surface: Arc<Surface>,
    connect: Box<dyn Connect>,
    options: Options,
    changes: Changes,
    /// For the connection: callers come and go with runtimes of their own.
    workers: Workers,
    state: Mutex<State>,
    /// Rung when the first look at the far side is over.
    looked: Bell,
    shown: Mutex<Shown>,
}

struct State {
    far: Far,
    showing: Showing,
    look: Look,
    /// Told of changes of the far side's lists.
    lists: Option<Subscription>,
    /// What the far side offers, where that is more than was built in.
    listed: Option<Arc<Surface>>,
    stale: Stale,
    /// What our clients watch, and the subscription for it while there is a connection.
    watched: BTreeMap<String, Option<Subscription>>,
    probing: bool,
}

enum Far {
    /// Nobody looked yet, or nobody is there.
    Apart,
    Connecting(Attempt),
    There(Client),
}

impl Relay {
    /// Offers `surface`, and connects when it is first needed.
    pub fn new(surface: Arc<Surface>, connect: impl Connect, options: Options) -> Relay {
        let changes = Changes::default();
        let following = options.fallback.as_ref().map(|fallback| changes.follow(fallback.changes()));
        let inner = Arc::new(Inner {
            surface,
            connect: Box::new(connect),
            options,
            changes,
            workers: Workers::own(),
            state: Mutex::new(State {
                far: Far::Apart,
                showing: Showing::Far,
                look: Look::Due,
                lists: None,
                listed: None,
                stale: Stale::default(),
                watched: BTreeMap::new(),
                probing: false,
            }),
            looked: Bell::default(),
            shown: Mutex::default(),
        });
        let observer = Arc::downgrade(&inner);
        let observing = inner.changes.observe(move |uri, what| {
            if let Some(inner) = Weak::upgrade(&observer) {
                inner.watch(uri, what);
            }
        });
        Relay { inner, _observing: observing, _following: following }
    }
}

impl Service for Relay {
    fn surface(&self) -> Arc<Surface> {
        self.inner.surface_now()
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        let inner = Arc::clone(&self.inner);
        let route = Route::of(&cx);
        // Sent here and now, where there is a connection: in the order in which requests come.
        if route != Route::Fallback
            && let Some(client) = inner.connected()
        {
            match inner.send(&client, request, &cx) {
                Ok(call) => {
                    let expected = Expected::of(request);
                    return Handled::Later(Box::pin(async move { inner.finish(call, expected, cx).await }));
                }
                Err(error) if error.may_have_taken_effect() || error == crate::client::Error::Busy => {
                    return Handled::Now(Outcome::Fail(inner.explain(&Trouble::Call(error))));
                }
                // It went away meanwhile, and nothing was sent.
                Err(_) => {}
            }
        }
        let message: Box<str> = request.text().into();
        Handled::Later(Box::pin(async move { inner.reach_and_call(&message, route, cx).await }))
    }

    fn changes(&self) -> &Changes {
        &self.inner.changes
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    fn connected(&self) -> Option<Client> {
        match &self.state().far {
            Far::There(client) if !client.is_closed() => Some(client.clone()),
            Far::There(_) | Far::Apart | Far::Connecting(_) => None,
        }
    }

    /// Our clients began or ceased to watch a resource.
    fn watch(self: &Arc<Self>, uri: &str, what: Watched) {
        let mut state = self.state();
        match what {
            Watched::Begins => {
                let subscription = match &state.far {
                    Far::There(client) => self.subscribe(client, &Subject::Resource(uri.to_owned())),
                    Far::Apart | Far::Connecting(_) => None,
                };
                state.watched.insert(uri.to_owned(), subscription);
                if matches!(state.far, Far::Apart) {
                    self.start_attempt(&mut state);
                }
            }
            Watched::Ends => drop(state.watched.remove(uri)),
        }
    }

    fn subscribe(self: &Arc<Self>, client: &Client, subject: &Subject) -> Option<Subscription> {
        // The subscription is part of what it would keep alive.
        let relay = Arc::downgrade(self);
        let heard = move |change: &Change| {
            if let Some(inner) = relay.upgrade() {
                inner.heard(change);
            }
        };
        client.listen(subject, heard).ok()
    }
}
