//! Handing over what was taken without the application, when that comes.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use mcp::Version;
use mcp::client::{Client, Notes};
use serde::Serialize;
use tokio::runtime::Handle;

use super::ADOPT;
use crate::agent::is_the_agents;
use crate::error::Error;
use crate::events::{Event, Listening};
use crate::host::Host;
use crate::screenshot::{Record, Screenshot};

/// Hands screenshots of a host to the application, and wipes them here.
pub(super) struct Handover {
    host: Arc<Host>,
    /// Where the application is, while it is there.
    application: Mutex<Option<Client>>,
    /// Hears of calls that began without the application and end when it is there.
    listening: OnceLock<Listening>,
}

#[derive(Serialize)]
struct Given<'a> {
    record: Record,
    png: &'a str,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'static str,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Nothing,
}

#[derive(Serialize)]
struct Nothing {}

impl Handover {
    /// Of this host.
    pub(super) fn new(host: &Arc<Host>) -> Arc<Handover> {
        let handover = Arc::new(Handover {
            host: Arc::clone(host),
            application: Mutex::default(),
            listening: OnceLock::new(),
        });
        let late = Arc::downgrade(&handover);
        let listening = host.events.listen(move |event| {
            if let Event::Added(id) = event
                && let Some(handover) = Weak::upgrade(&late)
                && handover.application().is_some()
                && let Ok(runtime) = Handle::try_current()
            {
                let id = id.to_string();
                runtime.spawn(async move { handover.give_late(&id).await });
            }
        });
        handover.listening.get_or_init(|| listening);
        handover
    }

    fn application(&self) -> Option<Client> {
        let application = self.application.lock().unwrap_or_else(PoisonError::into_inner);
        application.as_ref().filter(|client| !client.is_closed()).cloned()
    }

    /// Gives what agents took to the application that was just reached. What it does not take stays here, and so does what the person
    /// took or drew on: there it would be the agents'.
    pub(super) async fn give_all(&self, client: Client) {
        *self.application.lock().unwrap_or_else(PoisonError::into_inner) = Some(client.clone());
        // The oldest first, so that their order stays.
        for screenshot in self.host.store.all().into_iter().rev() {
            self.give(&client, &screenshot).await;
        }
        self.host.rest().await;
    }

    async fn give_late(&self, id: &str) {
        if let (Some(client), Ok(screenshot)) = (self.application(), self.host.store.get(id)) {
            self.give(&client, &screenshot).await;
        }
    }

    async fn give(&self, client: &Client, screenshot: &Arc<Screenshot>) {
        if !is_the_agents(screenshot) {
            return;
        }
        let source = Arc::clone(screenshot);
        let written = self.host.work(move |_| params(&source)).await;
        let Ok(mut params) = written else { return };
        let call = client.request(ADOPT, Notes::Ignored, |_, out| out.extend_from_slice(&params));
        params.fill(0);
        std::hint::black_box(&params);
        let Ok(call) = call else { return };
        let is_taken = call.finish(|_| {}).await.is_ok_and(|answer| answer.result().is_ok());
        if is_taken {
            let _ = self.host.delete(&screenshot.id().to_string());
            // Whoever works with it still needs it.
            if Arc::strong_count(screenshot) == 1 {
                screenshot.wipe();
            }
        }
    }
}

fn params(screenshot: &Screenshot) -> Result<Vec<u8>, Error> {
    let mut png = base64_simd::STANDARD.encode_to_string(&screenshot.png()?).into_bytes();
    // What grows leaves copies behind.
    let mut params = Vec::with_capacity(png.len() + (64 << 10));
    let given = Given {
        record: screenshot.record(),
        png: std::str::from_utf8(&png).unwrap_or_default(),
        meta: Meta { version: Version::MODERN.as_str(), capabilities: Nothing {} },
    };
    let written = serde_json::to_writer(&mut params, &given);
    png.fill(0);
    std::hint::black_box(&png);
    written.map_err(|error| Error::Spill(error.into()))?;
    Ok(params)
}
