//! What `fotos-mcp` and `deskmate` serve: the application while it runs, and by mode something else while it does not.

use std::ffi::OsString;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use mcp::relay::{Options, Trouble};
use mcp::{Fail, Relay, Service, Stream, code};
use serde_json::value::to_raw_value;

use super::handover::Handover;
use super::place::{Place, PlaceError};
use super::restrictions::Restrictions;
use super::{RESTRICTIONS, application_surface};
use crate::config::Config;
use crate::host::Host;
use crate::server_of;

/// How often to look whether the application was started. A look at a socket that is not there costs microseconds.
const PROBE: Duration = Duration::from_secs(1);

/// What to do with and without the application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Relays to the application while it runs, and does everything here else.
    #[default]
    Auto,
    /// Relays to the application; without it, calls are errors.
    Bridge,
    /// Does everything here.
    Standalone,
}

/// A mode nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no mode `{0}`; choose one of auto, bridge and standalone")]
pub struct UnknownMode(String);

impl Mode {
    /// All of them, by name.
    pub const NAMES: [&'static str; 3] = ["auto", "bridge", "standalone"];

    /// As `FOTOS_MODE` says.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Mode, UnknownMode> {
        variable("FOTOS_MODE").map_or(Ok(Mode::Auto), |value| value.to_string_lossy().parse())
    }
}

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Mode, UnknownMode> {
        match text.trim() {
            "auto" | "" => Ok(Mode::Auto),
            "bridge" => Ok(Mode::Bridge),
            "standalone" => Ok(Mode::Standalone),
            other => Err(UnknownMode(other.to_owned())),
        }
    }
}

/// How to relay.
#[derive(Debug, Clone)]
pub struct Relaying {
    /// With and without the application.
    pub mode: Mode,
    /// Where the application is, when it is there.
    pub place: Result<Place, PlaceError>,
    /// Whether only what reads is let through.
    pub read_only: bool,
}

/// The service for an agent's program. No work is done before the first call.
pub fn service(config: Config, relaying: Relaying) -> Arc<dyn Service> {
    service_of(Arc::new(Host::new(config)), relaying)
}

/// The same, with this host for what is done here.
pub fn service_of(host: Arc<Host>, relaying: Relaying) -> Arc<dyn Service> {
    let Relaying { mode, place, read_only } = relaying;
    if mode == Mode::Standalone {
        return Arc::new(server_of(host));
    }
    let restrictions = Restrictions {
        exclude: host.excluded(&[]).chosen().to_vec(),
        read_only,
        redact: host.settings().ai.redact_before_sending,
    };
    // It always fits into JSON.
    let restrictions = to_raw_value(&restrictions).ok();
    let options = Options::default()
        .with_meta(RESTRICTIONS, move |_, _| restrictions.clone())
        .explaining(explain)
        .probing(PROBE);
    let connect = move || {
        let place = place.clone();
        async move { connect(place).await }
    };
    if mode == Mode::Bridge {
        return Arc::new(Relay::new(application_surface(), connect, options));
    }
    let handover = Handover::new(&host);
    let options = options.fallback(Arc::new(server_of(host))).preparing(move |client| {
        let handover = Arc::clone(&handover);
        async move { handover.give_all(client).await }
    });
    Arc::new(Relay::new(application_surface(), connect, options))
}

async fn connect(place: Result<Place, PlaceError>) -> std::io::Result<Stream> {
    match place {
        // Nobody can be there.
        Err(_) => Err(std::io::ErrorKind::NotFound.into()),
        #[cfg(unix)]
        Ok(place) => super::sys::connect(place).await,
        #[cfg(not(unix))]
        Ok(_) => Err(std::io::ErrorKind::NotFound.into()),
    }
}

/// What is said when the application cannot answer.
fn explain(trouble: &Trouble) -> Fail {
    let message = match trouble {
        Trouble::Absent => {
            "The Fotos application is not running, and this needs it. Start Fotos from the applications menu, or run \
             `fotos-desktop`, and try again"
                .to_owned()
        }
        Trouble::Incompatible { ours, theirs } if ours == theirs => format!(
            "The Fotos application and this program are both version {ours} and yet offer different tools: one of them was \
             built from other sources. Install both from one package, and restart them"
        ),
        Trouble::Incompatible { ours, theirs } => format!(
            "The Fotos application is version {theirs}, and this program is version {ours}. Update both to the same version, \
             and restart them"
        ),
        Trouble::Unreachable(reason) => format!("The Fotos application cannot be reached: {reason}"),
        other => format!("The Fotos application did not answer: {other}"),
    };
    Fail::rpc(code::UNAVAILABLE, message)
}
