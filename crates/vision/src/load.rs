//! From what a caller named to bytes, within bounds.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use fetch::{Access, Client, FetchError, Limits, Ports, Request, Resolver, Url, header};
use files::Roots;

use crate::error::Error;
use crate::source::{Source, SourceKind, named};

/// The most bytes of a picture; what is larger than a provider takes is scaled.
pub(crate) const MOST_PICTURE: usize = 64 << 20;

/// The most bytes of a video.
pub(crate) const MOST_VIDEO: usize = 64 << 20;

/// Fetches pictures from the web; made when first needed.
pub(crate) struct Loader {
    hosts: Vec<String>,
    resolver: Arc<dyn Resolver>,
    client: OnceLock<Client>,
}

impl Loader {
    /// These hosts may have addresses that are not public.
    pub(crate) fn new(hosts: Vec<String>, resolver: Arc<dyn Resolver>) -> Loader {
        Loader { hosts, resolver, client: OnceLock::new() }
    }

    /// The bytes of a source, at most `limit` of them.
    pub(crate) async fn load(&self, text: &str, roots: &Roots, limit: usize) -> Result<Bytes, Error> {
        match Source::parse(text, limit)? {
            Source::Inline(bytes) => Ok(bytes),
            Source::Web(url) => self.fetch(url, limit).await,
            Source::File(path) => {
                let (roots, shown) = (roots.clone(), named(text));
                tokio::task::spawn_blocking(move || {
                    let original = roots.resolve(&path)?.read(limit as u64);
                    match original {
                        Ok(original) => Ok(Bytes::from(original.into_bytes())),
                        Err(files::OpenError::TooLarge { .. }) => {
                            Err(Error::TooLarge { source_name: shown, limit })
                        }
                        Err(error) => Err(error.into()),
                    }
                })
                .await
                .map_err(|_| Error::Interrupted)?
            }
        }
    }

    /// How many bytes some sources have, at most `limit` each: what has to be in memory at once to load them. What cannot be known
    /// before it is fetched counts as the limit; what cannot be loaded at all counts nothing, and is told when it is loaded.
    pub(crate) async fn weights(&self, sources: &[String], roots: &Roots, limit: usize) -> usize {
        let (sources, roots) = (sources.to_vec(), roots.clone());
        let weigh = move || {
            let weight = |text: &String| match Source::kind(text) {
                SourceKind::Inline => text.len().min(limit.saturating_mul(2)),
                SourceKind::Web => limit,
                SourceKind::File(path) => {
                    let place = roots.resolve(&path).ok();
                    let length =
                        place.and_then(|place| std::fs::metadata(place.path()).ok()).map(|data| data.len());
                    length.and_then(|length| usize::try_from(length).ok()).unwrap_or_default().min(limit)
                }
                SourceKind::Unknown => 0,
            };
            sources.iter().map(weight).fold(0, usize::saturating_add)
        };
        tokio::task::spawn_blocking(weigh).await.unwrap_or(limit)
    }

    async fn fetch(&self, url: Url, limit: usize) -> Result<Bytes, Error> {
        let request = Request::new(fetch::Method::GET, url)
            .header(header::ACCEPT, fetch::HeaderValue::from_static("image/*, video/*;q=0.9, */*;q=0.1"))
            .header(header::ACCEPT_ENCODING, fetch::HeaderValue::from_static("identity"))
            .limit(limit as u64);
        match self.client()?.fetch(request).await {
            Ok(response) => Ok(response.success()?.body),
            Err(FetchError::Address { host, range }) => Err(Error::PrivateHost { host, range }),
            Err(error) => Err(error.into()),
        }
    }

    fn client(&self) -> Result<&Client, Error> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let access = self
            .hosts
            .iter()
            .fold(Access::public().ports(Ports::Web), |access, host| access.allow_private(host));
        let limits = Limits { redirects: 3, total: Duration::from_secs(60), ..Limits::default() };
        let client = Client::builder(access).limits(limits).resolver(Arc::clone(&self.resolver)).build()?;
        Ok(self.client.get_or_init(|| client))
    }
}
