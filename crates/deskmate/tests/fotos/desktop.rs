//! A session bus of a test's own, with a portal and a notification service on it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use zbus::connection::Builder;
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, interface};

/// How the portal answers a request for a screenshot.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// With the address of this file.
    File(PathBuf),
    /// The person closed the dialog.
    Cancelled,
    /// It will not, and does not say why, as long as no dialog is shown; then this file.
    AfterDialog(PathBuf),
}

pub(crate) struct Desktop {
    pub(crate) address: String,
    daemon: Child,
    /// Keeps the services alive.
    _runtime: tokio::runtime::Runtime,
    _connection: Connection,
    /// What the notifications said.
    pub(crate) notifications: Receiver<String>,
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
        let (heard, notifications) = channel();
        let connection = runtime.block_on(serve(&address, answer, heard)).expect("services");
        Desktop { address, daemon, _runtime: runtime, _connection: connection, notifications }
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

async fn serve(address: &str, answer: Option<Answer>, heard: Sender<String>) -> zbus::Result<Connection> {
    let builder = Builder::address(address)?
        .name("org.freedesktop.Notifications")?
        .serve_at("/org/freedesktop/Notifications", Notifications { heard })?;
    match answer {
        None => builder.build().await,
        Some(answer) => {
            let portal = builder.name("org.freedesktop.portal.Desktop")?;
            portal.serve_at("/org/freedesktop/portal/desktop", Portal { answer })?.build().await
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
        let sender = header.sender().map(|sender| sender.trim_start_matches(':').replace('.', "_"));
        let path = format!("/org/freedesktop/portal/desktop/request/{}/{token}", sender.unwrap_or_default());
        let (code, file) = match &self.answer {
            Answer::File(file) => (0, Some(file.clone())),
            Answer::Cancelled => (1, None),
            Answer::AfterDialog(file) if interactive => (0, Some(file.clone())),
            Answer::AfterDialog(_) => (2, None),
        };
        connection.object_server().at(path.as_str(), Request).await?;
        let (connection, place) = (connection.clone(), path.clone());
        tokio::spawn(async move {
            let emitter = SignalEmitter::new(&connection, place.as_str()).expect("a path");
            let mut results = HashMap::new();
            if let Some(file) = file {
                results.insert("uri", Value::from(format!("file://{}", file.display())));
            }
            Request::response(&emitter, code, results).await.expect("answered");
        });
        OwnedObjectPath::try_from(path).map_err(|error| zbus::fdo::Error::Failed(error.to_string()))
    }

    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        2
    }
}
