//! From a host name to addresses that may be connected to.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use crate::access::Access;
use crate::error::FetchError;

/// The addresses of a host, when they are known.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Finds the addresses of a host.
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of `host`.
    fn resolve(&self, host: &str) -> Resolving;
}

/// One that is shared.
impl<R: Resolver + ?Sized> Resolver for Arc<R> {
    fn resolve(&self, host: &str) -> Resolving {
        R::resolve(self, host)
    }
}

/// Asks the system, as every other program does: `/etc/hosts`, then DNS.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, host: &str) -> Resolving {
        let host = host.to_owned();
        Box::pin(async move {
            Ok(tokio::net::lookup_host((host.as_str(), 0)).await?.map(|found| found.ip()).collect())
        })
    }
}

/// More addresses than this are not tried.
const MOST_ADDRESSES: usize = 32;

/// What the connector asks. It gives out checked addresses only, and the connector connects to nothing else: there is no
/// second lookup in which the answer could be a different one.
pub(crate) struct Checked {
    pub(crate) access: Arc<Access>,
    pub(crate) inner: Arc<dyn Resolver>,
}

impl Checked {
    async fn lookup(
        access: Arc<Access>,
        inner: Arc<dyn Resolver>,
        host: String,
    ) -> Result<Vec<IpAddr>, FetchError> {
        let failed = |reason: String| FetchError::Lookup { host: host.clone(), reason };
        let mut found = inner.resolve(&host).await.map_err(|error| failed(error.to_string()))?;
        if found.is_empty() {
            return Err(failed("it has none".to_owned()));
        }
        // One bad address among good ones is how a name is made to pass and then to mean something else.
        found.iter().try_for_each(|address| access.admit(&host, *address))?;
        found.truncate(MOST_ADDRESSES);
        Ok(found)
    }
}

impl reqwest::dns::Resolve for Checked {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let (access, inner) = (Arc::clone(&self.access), Arc::clone(&self.inner));
        Box::pin(async move {
            let found = Checked::lookup(access, inner, name.as_str().to_owned()).await?;
            let addresses = found.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as reqwest::dns::Addrs)
        })
    }
}
