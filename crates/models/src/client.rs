//! Asking: a request through keys, wire format and repetitions to its answer.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fetch::{Access, Client, FetchError, Limits, Redirects, Schemes, Streaming};
use tokio::time::{Instant, sleep};

use crate::answer::{Answer, Draft, Finish};
use crate::error::ModelError;
use crate::events::Events;
use crate::keys::{Key, KeyError, Keys};
use crate::provider::Provider;
use crate::redact::redact;
use crate::request::Request;
use crate::retry::{self, Patience};
use crate::settings::{Endpoint, Settings};
use crate::wire::{Ask, Complaint, Mode, Trouble, Wire};

/// A piece of an answer that is still coming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard<'a> {
    /// What was said since the last piece; empty while the model thinks.
    pub text: &'a str,
    /// Bytes so far, thoughts included.
    pub bytes: usize,
    /// Which try this is, from 1. A new one begins its answer again.
    pub attempt: u32,
}

/// Hears how an answer comes in. Whoever listens gets it bit by bit.
pub type Listener<'a> = &'a mut (dyn for<'t> FnMut(Heard<'t>) + Send);

/// Asks models. Cheap to clone; connections are shared, and made when they are needed.
#[derive(Clone)]
pub struct Models {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Settings,
    keys: Arc<dyn Keys>,
    client: OnceLock<Client>,
}

/// The most bytes of an answer: it is text.
const MOST_BYTES: u64 = 8 << 20;

/// The most bytes of an error that are read.
const MOST_ERROR_BYTES: u64 = 64 << 10;

impl Models {
    /// Asks as these settings say, with these keys.
    pub fn new(settings: Settings, keys: Arc<dyn Keys>) -> Models {
        Models { inner: Arc::new(Inner { settings, keys, client: OnceLock::new() }) }
    }

    /// What is set.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// Gets ready to ask a provider. It fails where that is not set up, or needs a key that nobody has; the key is looked up
    /// here, once.
    pub async fn open(&self, provider: Provider) -> Result<Session<'_>, ModelError> {
        let no_endpoint = || crate::settings::SettingsError {
            name: "OPENAI_COMPATIBLE_BASE_URL".to_owned(),
            reason: "not set, and says where the OpenAI-compatible endpoint is",
            value: String::new(),
        };
        let endpoint = self.settings().endpoint(provider).ok_or_else(no_endpoint)?;
        let key = self.key(provider).await?;
        if key.is_none() && provider.needs_key() {
            return Err(ModelError::NoKey { provider });
        }
        Ok(Session { models: self, provider, endpoint, key })
    }

    /// Opens and asks: see [`Session::ask`].
    pub async fn ask(
        &self,
        provider: Provider,
        request: &Request,
        listener: Option<Listener<'_>>,
    ) -> Result<Answer, ModelError> {
        self.open(provider).await?.ask(request, listener).await
    }

    /// The key, asked for where waiting for a file or a vault holds nobody up.
    async fn key(&self, provider: Provider) -> Result<Option<Key>, ModelError> {
        let keys = Arc::clone(&self.inner.keys);
        let found = tokio::task::spawn_blocking(move || keys.key(provider)).await;
        let broken = |_| KeyError {
            provider,
            store: "its store".to_owned(),
            reason: "the store failed; try again".to_owned(),
        };
        Ok(found.map_err(broken)??)
    }

    fn client(&self, provider: Provider) -> Result<&Client, ModelError> {
        if let Some(client) = self.inner.client.get() {
            return Ok(client);
        }
        let settings = self.settings();
        let mut access = Access::public().schemes(Schemes::Https);
        for endpoint in Provider::ALL.into_iter().filter_map(|provider| settings.endpoint(provider)) {
            let Some(host) = endpoint.base.host_str().filter(|_| endpoint.chosen) else { continue };
            let host = host.trim_matches(['[', ']']);
            // Pictures and keys go over a public network with encryption or not at all.
            access = match endpoint.base.scheme() {
                "http" => access.only_private(host),
                _ => access.allow_private(host),
            };
        }
        let limits = Limits {
            // A model that thinks is silent, and the whole time is bounded.
            idle: settings.timeout,
            total: settings.timeout,
            body: MOST_BYTES,
            retries: 0,
            ..Limits::default()
        };
        let client = Client::builder(access)
            .limits(limits)
            .system_roots()
            .proxy(settings.proxy.clone())
            .build()
            .map_err(|source| ModelError::Fetch { provider, source })?;
        Ok(self.inner.client.get_or_init(|| client))
    }
}

/// A provider that can be asked, with its key.
pub struct Session<'a> {
    models: &'a Models,
    provider: Provider,
    endpoint: &'a Endpoint,
    key: Option<Key>,
}

impl Session<'_> {
    /// Who is asked.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// Asks. With a listener the answer comes bit by bit, without one at once; the result is the same. Dropping the
    /// future ends the call at the provider, too.
    pub async fn ask(
        self,
        request: &Request,
        mut listener: Option<Listener<'_>>,
    ) -> Result<Answer, ModelError> {
        let Session { models, provider, endpoint, key } = self;
        let settings = models.settings();
        if request.has_video() && provider.intake().video_bytes.is_none() {
            return Err(ModelError::NoVideo { provider });
        }
        let mode = if listener.is_some() { Mode::Stream } else { Mode::Whole };
        let ask = Ask { provider, settings, endpoint, request, mode };
        let call = Call::new(&ask, models.client(provider)?, key)?;
        let patience = Patience::new(settings.retries);
        let deadline = Instant::now() + settings.timeout;
        for attempt in 1.. {
            let left = deadline.saturating_duration_since(Instant::now());
            let tried = call.once(attempt, left, &mut listener).await;
            let error = match tried {
                Ok(draft) => return finished(&ask, draft, attempt, call.key.as_ref()),
                Err(error) => error,
            };
            match patience.wait(attempt, &error) {
                Some(wait) if Instant::now() + wait < deadline => sleep(wait).await,
                _ => return Err(error),
            }
        }
        Err(ModelError::Empty { provider })
    }
}

/// One request, ready to be sent as often as it takes.
struct Call<'a> {
    provider: Provider,
    wire: Wire,
    mode: Mode,
    client: &'a Client,
    request: fetch::Request,
    key: Option<Key>,
}

impl<'a> Call<'a> {
    fn new(ask: &Ask<'_>, client: &'a Client, key: Option<Key>) -> Result<Call<'a>, ModelError> {
        let provider = ask.provider;
        let wire = Wire::of(provider, ask.settings);
        let body = wire.body(ask).map_err(|error| ModelError::Malformed {
            provider,
            reason: format!("no request can be made: {error}"),
        })?;
        let failed = |source| ModelError::Fetch { provider, source };
        let mut request = fetch::Request::new(fetch::Method::POST, wire.url(ask))
            .header(fetch::header::CONTENT_TYPE, fetch::HeaderValue::from_static("application/json"))
            .redirects(Redirects::Never)
            .body(body);
        for (name, value) in wire.headers(key.as_ref()) {
            request = request.secret_header(name, value.as_bytes()).map_err(failed)?;
        }
        Ok(Call { provider, wire, mode: ask.mode, client, request, key })
    }

    async fn once(
        &self,
        attempt: u32,
        time: Duration,
        listener: &mut Option<Listener<'_>>,
    ) -> Result<Draft, ModelError> {
        let failed = |source| ModelError::Fetch { provider: self.provider, source };
        let streaming = self.client.stream(self.request.clone().total(time)).await.map_err(failed)?;
        if !streaming.status().is_success() {
            return Err(self.refused(streaming).await);
        }
        // Some endpoints answer at once whatever they are asked for.
        let is_json = streaming.content_type().is_some_and(|kind| kind == "application/json");
        match (self.mode, listener) {
            (Mode::Stream, Some(listener)) if !is_json => self.listen(streaming, attempt, listener).await,
            _ => {
                let whole = streaming.whole().await.map_err(failed)?;
                self.wire.whole(&whole.body).map_err(|trouble| self.troubled(trouble))
            }
        }
    }

    async fn listen(
        &self,
        mut streaming: Streaming,
        attempt: u32,
        listener: &mut Listener<'_>,
    ) -> Result<Draft, ModelError> {
        let provider = self.provider;
        let mut events = Events::new(self.wire.framing());
        let (mut draft, mut told) = (Draft::default(), 0);
        while !draft.over {
            let chunk = match streaming.chunk().await {
                Ok(chunk) => chunk,
                Err(FetchError::Broken { .. }) if draft.heard() > 0 => {
                    return Err(ModelError::Incomplete { provider, characters: draft.text.chars().count() });
                }
                Err(source) => return Err(ModelError::Fetch { provider, source }),
            };
            let ended = chunk.is_none();
            let mut ready = events
                .feed(&chunk.unwrap_or_default())
                .map_err(|_| self.troubled(Trouble::Malformed("one of its events is endless".to_owned())))?;
            if ended {
                ready.extend(events.finish());
            }
            for event in ready {
                self.wire.event(&mut draft, &event).map_err(|trouble| self.troubled(trouble))?;
            }
            listener(Heard {
                text: draft.text.get(told..).unwrap_or_default(),
                bytes: draft.heard(),
                attempt,
            });
            told = draft.text.len();
            if ended && !draft.over {
                return Err(ModelError::Incomplete { provider, characters: draft.text.chars().count() });
            }
        }
        Ok(draft)
    }

    async fn refused(&self, mut streaming: Streaming) -> ModelError {
        let status = streaming.status().as_u16();
        let wait = retry::asked(streaming.headers());
        let mut body = Vec::new();
        while body.len() as u64 <= MOST_ERROR_BYTES {
            match streaming.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) | Err(_) => break,
            }
        }
        self.complaint(&Complaint::read(&body), status, wait)
    }

    fn complaint(&self, complaint: &Complaint, status: u16, wait: Option<Duration>) -> ModelError {
        ModelError::Refused {
            provider: self.provider,
            status,
            message: redact(&complaint.message, self.key.as_ref().map(Key::expose)),
            refusal: complaint.refusal(self.provider, status, wait),
        }
    }

    fn troubled(&self, trouble: Trouble) -> ModelError {
        match trouble {
            Trouble::Malformed(reason) => ModelError::Malformed {
                provider: self.provider,
                reason: redact(&reason, self.key.as_ref().map(Key::expose)),
            },
            // It came with status 200, and is the provider's failure all the same.
            Trouble::Complaint(complaint) => self.complaint(&complaint, 500, None),
        }
    }
}

/// The answer, or why there is none in what came.
fn finished(ask: &Ask<'_>, draft: Draft, attempts: u32, key: Option<&Key>) -> Result<Answer, ModelError> {
    let provider = ask.provider;
    let finish = draft.finish.unwrap_or_else(|| Finish::Other("unknown".to_owned()));
    if draft.text.trim().is_empty() {
        let message = redact(draft.refusal.as_deref().unwrap_or_default(), key.map(Key::expose));
        return Err(match finish {
            _ if !message.is_empty() => ModelError::Declined { provider, message },
            Finish::Filtered => ModelError::Declined { provider, message },
            Finish::Length => ModelError::OnlyThoughts { provider },
            Finish::Stop | Finish::Other(_) if draft.thought > 0 => ModelError::OnlyThoughts { provider },
            Finish::Stop | Finish::Other(_) => ModelError::Empty { provider },
        });
    }
    let set = ask.request.model.clone().unwrap_or_else(|| ask.endpoint.model.clone());
    Ok(Answer { text: draft.text, model: draft.model.unwrap_or(set), usage: draft.usage, finish, attempts })
}
