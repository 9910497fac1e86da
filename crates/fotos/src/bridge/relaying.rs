//! What `fotos-mcp` and `deskmate` serve: the application while it runs, and by mode something else while it does not.

use std::ffi::OsString;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use mcp::relay::{Options, Trouble};
use mcp::{Fail, Relay, Service, Stream, code};
use serde_json::value::to_raw_value;

use super::guard::Guard;
use super::handover::Handover;
use super::place::{Place, PlaceError};
use super::restrictions::Restrictions;
use super::sys;
use super::{ADOPT, RESTRICTIONS, application_surface};
use crate::config::Config;
use crate::host::Host;

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
        return Arc::new(Guard::new(host));
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
        // What hands screenshots over is this program, and no client of it.
        .own_method(ADOPT)
        .probing(PROBE);
    let connect = move || {
        let place = place.clone();
        async move { connect(place).await }
    };
    if mode == Mode::Bridge {
        return Arc::new(Relay::new(application_surface(), connect, options));
    }
    let handover = Handover::new(&host);
    let options = options.fallback(Arc::new(Guard::new(host))).preparing(move |client| {
        let handover = Arc::clone(&handover);
        async move { handover.give_all(client).await }
    });
    Arc::new(Relay::new(application_surface(), connect, options))
}

async fn connect(place: Result<Place, PlaceError>) -> std::io::Result<Stream> {
    match place {
        // Nobody can be there.
        Err(_) => Err(std::io::ErrorKind::NotFound.into()),
        Ok(place) => sys::connect(place).await,
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcp::Version;
    use mcp_testkit::{Client, Folder};
    use serde_json::json;

    use picture::Pixels;

    use super::{Mode, Place, Relaying, service_of};
    use crate::activity::Outcome;
    use crate::annotation::{Annotation, Colour, Extent, Shape};
    use crate::bridge::Claim;
    use crate::capture::Shot;
    use crate::document::Edit;
    use crate::screenshot::{Mode as Captured, Screenshot};
    use crate::{Config, Host};

    #[test]
    fn only_what_agents_took_is_handed_over() {
        let folder = Folder::new();
        let place = Place::in_folder(folder.path("run"));
        let application = Arc::new(Host::open(Config::default(), &folder.path("home")).expect("a host"));
        let host = Arc::new(Host::new(Config::default()));
        let shot = || Screenshot::captured(Captured::Fullscreen, Shot::of(Pixels::plain(30, 20, [9; 3])));
        let (agents, own, drawn) = (host.keep(shot()), host.keep(shot().by_person()), host.keep(shot()));
        let frame = Extent { x: 1.0, y: 1.0, width: 5.0, height: 5.0 };
        let blur = Annotation::new(Shape::Blur(frame), Colour::RED, 1.0);
        host.edit(&drawn.id().to_string(), Edit::Add { annotations: vec![blur] }, None).expect("drawn");
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let claim = {
            let _entered = runtime.enter();
            Claim::take(&place).expect("the socket")
        };
        runtime.spawn(claim.serve(Arc::clone(&application)));
        let relaying = Relaying { mode: Mode::Auto, place: Ok(place), read_only: false };
        let service = service_of(Arc::clone(&host), relaying);
        let mut client = Client::shared(service, mcp::stdio::Limits::default()).speaking(Version::MODERN);
        let listed = client.call("list_screenshots", json!({}));
        assert_eq!(listed["structuredContent"]["total"], 1, "{listed}");
        assert_eq!(application.store.ids(), [agents.id().to_string()]);
        assert_eq!(host.store.ids(), [drawn.id().to_string(), own.id().to_string()]);
    }

    #[test]
    fn agents_are_paused_and_their_calls_shown_without_the_application_too() {
        let folder = Folder::new();
        for mode in [Mode::Auto, Mode::Standalone] {
            let host = Arc::new(Host::new(Config::default()));
            let place = Ok(Place::in_folder(folder.path("nobody")));
            let service = service_of(Arc::clone(&host), Relaying { mode, place, read_only: false });
            let mut client = Client::shared(service, mcp::stdio::Limits::default()).speaking(Version::MODERN);
            assert_eq!(client.call("list_screenshots", json!({}))["isError"], json!(null));
            host.pause_agents(true).expect("paused");
            let error = client.error("tools/call", json!({ "name": "list_screenshots", "arguments": {} }));
            assert_eq!(error["code"], -32000, "{error}");
            let outcomes: Vec<Outcome> = host.activity.calls().iter().map(|call| call.outcome).collect();
            assert_eq!(outcomes, [Outcome::Paused, Outcome::Done]);
        }
    }
}
