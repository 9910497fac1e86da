//! A session bus of a test's own, with a portal and a notification service on it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use zbus::connection::Builder;
use zbus::export::ordered_stream::OrderedStreamExt;
use zbus::fdo::{DBusProxy, NameOwnerChangedStream};
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, interface};

/// How the portal answers a request for a screenshot.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// It writes this file, and says where it is.
    Picture(Picture),
    /// It will not, and does not say why, as long as no dialog is shown; then this.
    AfterDialog(Picture),
    /// With this code and this address, whatever is there.
    Says(u32, Option<String>),
    /// With an error instead of a promise.
    Refusal(&'static str),
    /// Not at all.
    Never,
}

/// A file that is written when somebody asks for a screenshot.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl Picture {
    fn write(&self) -> String {
        std::fs::write(&self.path, &self.bytes).expect("a file");
        address(&self.path)
    }
}

/// The address of a file.
pub(crate) fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub(crate) struct Desktop {
    pub(crate) address: String,
    daemon: Child,
    /// Keeps the services alive.
    runtime: tokio::runtime::Runtime,
    _connection: Connection,
    /// What the notifications said.
    pub(crate) notifications: Receiver<String>,
    /// What became of those who asked the portal.
    pub(crate) asked: Receiver<Asked>,
}

/// Somebody asked the portal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// And waits.
    Came,
    /// And went away.
    Went,
}

impl Desktop {
    /// One whose portal answers like this; without an answer there is no portal.
    pub(crate) fn new(answer: Option<Answer>) -> Desktop {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("`dbus-daemon` starts; `./dev test packages` installs it");
        let mut address = String::new();
        let stdout = daemon.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut address).expect("the daemon says where it is");
        let address = address.trim().to_owned();
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let ((heard, notifications), (seen, asked)) = (channel(), channel());
        let portal = answer.map(|answer| Portal { answer, seen });
        let connection = runtime.block_on(serve(&address, portal, heard)).expect("services");
        Desktop { address, daemon, runtime, _connection: connection, notifications, asked }
    }

    /// Sends a notification of our own and waits for it: what others sent before has then been heard, too.
    pub(crate) fn settle(&self) {
        let sent = self.runtime.block_on(async {
            let connection = Builder::address(self.address.as_str())?.build().await?;
            let name = "org.freedesktop.Notifications";
            let body =
                ("test", 0_u32, "", "settled", "", Vec::<&str>::new(), HashMap::<&str, Value<'_>>::new(), 0);
            connection
                .call_method(Some(name), "/org/freedesktop/Notifications", Some(name), "Notify", &body)
                .await
        });
        sent.expect("a notification");
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

async fn serve(address: &str, portal: Option<Portal>, heard: Sender<String>) -> zbus::Result<Connection> {
    let builder = Builder::address(address)?
        .name("org.freedesktop.Notifications")?
        .serve_at("/org/freedesktop/Notifications", Notifications { heard })?;
    match portal {
        None => builder.build().await,
        Some(portal) => {
            let builder = builder.name("org.freedesktop.portal.Desktop")?;
            builder.serve_at("/org/freedesktop/portal/desktop", portal)?.build().await
        }
    }
}

/// Waits until the bus says that this program is not there any more.
async fn gone(mut changes: NameOwnerChangedStream, name: &str) {
    while let Some(change) = changes.next().await {
        let change = change.args().expect("a change");
        if change.name().as_str() == name && change.new_owner().is_none() {
            return;
        }
    }
}

struct Notifications {
    heard: Sender<String>,
}

#[interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[allow(clippy::too_many_arguments, reason = "the interface has eight")]
    fn notify(
        &self,
        _app: &str,
        replaces: u32,
        _icon: &str,
        summary: &str,
        body: &str,
        _actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _expires: i32,
    ) -> u32 {
        let _ = self.heard.send(format!("{replaces}: {summary}: {body}"));
        7
    }
}

struct Portal {
    answer: Answer,
    seen: Sender<Asked>,
}

struct Request;

#[interface(name = "org.freedesktop.portal.Request")]
impl Request {
    fn close(&self) {}

    #[zbus(signal)]
    async fn response(
        emitter: &SignalEmitter<'_>,
        response: u32,
        results: HashMap<&str, Value<'_>>,
    ) -> zbus::Result<()>;
}

#[interface(name = "org.freedesktop.portal.Screenshot")]
impl Portal {
    async fn screenshot(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        _parent: &str,
        options: HashMap<String, OwnedValue>,
    ) -> zbus::fdo::Result<OwnedObjectPath> {
        let token = options.get("handle_token").and_then(|token| <&str>::try_from(token).ok()).unwrap_or("t");
        let interactive =
            options.get("interactive").and_then(|value| bool::try_from(value).ok()).unwrap_or(false);
        let sender = header.sender().expect("a sender").to_string();
        let path = format!(
            "/org/freedesktop/portal/desktop/request/{}/{token}",
            sender.trim_start_matches(':').replace('.', "_")
        );
        let (code, uri) = match &self.answer {
            Answer::Picture(picture) => (0, Some(picture.write())),
            Answer::AfterDialog(picture) if interactive => (0, Some(picture.write())),
            Answer::AfterDialog(_) => (2, None),
            Answer::Says(code, uri) => (*code, uri.clone()),
            Answer::Refusal(reason) => return Err(zbus::fdo::Error::AccessDenied((*reason).to_owned())),
            Answer::Never => {
                let changes = DBusProxy::new(connection).await?.receive_name_owner_changed().await?;
                let seen = self.seen.clone();
                let _ = seen.send(Asked::Came);
                tokio::spawn(async move {
                    gone(changes, &sender).await;
                    let _ = seen.send(Asked::Went);
                });
                return OwnedObjectPath::try_from(path)
                    .map_err(|error| zbus::fdo::Error::Failed(error.to_string()));
            }
        };
        connection.object_server().at(path.as_str(), Request).await?;
        let (connection, place) = (connection.clone(), path.clone());
        tokio::spawn(async move {
            let emitter = SignalEmitter::new(&connection, place.as_str()).expect("a path");
            let results = uri.map(|uri| ("uri", Value::from(uri))).into_iter().collect();
            Request::response(&emitter, code, results).await.expect("answered");
        });
        OwnedObjectPath::try_from(path).map_err(|error| zbus::fdo::Error::Failed(error.to_string()))
    }

    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        2
    }
}
