//! What a relay can be told besides what it offers and where to connect.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::client::{Client, Limits};
use crate::cx::Cx;
use crate::fail::{Fail, Failures};
use crate::request::Request;
use crate::service::{BoxFuture, Service};

use super::Trouble;

pub(super) type Extra = dyn Fn(&Request<'_>, &Cx) -> Option<Box<RawValue>> + Send + Sync;

type Explain = dyn Fn(&Trouble) -> Fail + Send + Sync;

type Prepare = dyn Fn(Client) -> BoxFuture<()> + Send + Sync;

/// How a relay behaves.
#[derive(Default)]
pub struct Options {
    pub(super) fallback: Option<Arc<dyn Service>>,
    pub(super) limits: Limits,
    pub(super) extras: Vec<(&'static str, Box<Extra>)>,
    pub(super) failures: Failures,
    pub(super) explain: Option<Box<Explain>>,
    pub(super) probe: Option<Duration>,
    pub(super) prepare: Option<Box<Prepare>>,
    pub(super) own_methods: Vec<&'static str>,
}

impl Options {
    /// Serves the calls that come while the far side is not there. A far side that is there and does not answer, or was built
    /// with something else, is no reason to use it.
    ///
    /// It may offer less than the far side, or something else: clients see what the one of the two offers that serves them,
    /// and are told when that changes. A call for something that only the far side has says that it is not there.
    #[must_use]
    pub fn fallback(mut self, service: Arc<dyn Service>) -> Options {
        self.fallback = Some(service);
        self
    }

    /// What the far side may cost.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Options {
        self.limits = limits;
        self
    }

    /// Adds a member to the `_meta` of every call: handlers there find it with [`Cx::meta`]. `key` needs no escaping in
    /// JSON. One of the same name that our client sent does not get through.
    #[must_use]
    pub fn with_meta(
        mut self,
        key: &'static str,
        value: impl Fn(&Request<'_>, &Cx) -> Option<Box<RawValue>> + Send + Sync + 'static,
    ) -> Options {
        self.extras.push((key, Box::new(value)));
        self
    }

    /// How failures travel that the far side cannot put into the words of an old revision.
    #[must_use]
    pub fn failures(mut self, failures: Failures) -> Options {
        self.failures = failures;
        self
    }

    /// Words for the person when the far side cannot answer.
    #[must_use]
    pub fn explaining(mut self, explain: impl Fn(&Trouble) -> Fail + Send + Sync + 'static) -> Options {
        self.explain = Some(Box::new(explain));
        self
    }

    /// Does something with every new connection, after the greeting and before the first call is sent on it: hands over what
    /// the fallback gathered, say. Calls wait for its end, for a minute at most.
    #[must_use]
    pub fn preparing<F>(mut self, prepare: impl Fn(Client) -> F + Send + Sync + 'static) -> Options
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.prepare = Some(Box::new(move |client| Box::pin(prepare(client))));
        self
    }

    /// A method of the far side that is for this process alone, such as one that [`preparing`](Options::preparing) uses: our
    /// clients do not get through with it.
    #[must_use]
    pub fn own_method(mut self, name: &'static str) -> Options {
        self.own_methods.push(name);
        self
    }

    /// Looks for the far side this often while it is not there, so that clients learn of what it offers before they call.
    #[must_use]
    pub fn probing(mut self, interval: Duration) -> Options {
        self.probe = Some(interval);
        self
    }
}
