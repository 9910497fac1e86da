//! Telling the person that an agent looked at the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::config::Announcing;
use crate::screenshot::Summary;

/// Tells the desktop, if there is one that shows notifications.
#[derive(Debug, Default)]
pub(crate) struct Announcer {
    announcing: Announcing,
    /// The notification that is there already: it is replaced, so that many captures do not fill the screen.
    last: Arc<AtomicU32>,
}

impl Announcer {
    pub(crate) fn new(announcing: Announcing) -> Announcer {
        Announcer { announcing, last: Arc::default() }
    }

    /// Tells of a capture, without waiting: the answer does not depend on it.
    pub(crate) fn announce(&self, summary: &Summary) {
        if self.announcing == Announcing::Off {
            return;
        }
        let Summary { width, height, subject, .. } = summary;
        let body = match subject {
            Some(subject) => format!("{subject}, {width}x{height} pixels"),
            None => format!("The whole screen, {width}x{height} pixels"),
        };
        let last = Arc::clone(&self.last);
        tokio::spawn(async move {
            // Without a session bus or a notification service there is nobody to tell.
            if let Ok(Some(id)) = desktop::show(last.load(Ordering::Relaxed), &body).await {
                last.store(id, Ordering::Relaxed);
            }
        });
    }
}

#[cfg(target_os = "linux")]
mod desktop {
    use std::collections::HashMap;
    use std::time::Duration;

    use tokio::time::timeout;
    use zbus::zvariant::Value;
    use zbus::{Connection, Proxy};

    /// Nobody needs news older than this.
    const PATIENCE: Duration = Duration::from_secs(5);

    /// How long it stays, in milliseconds.
    const STAYS: i32 = 4_000;

    /// Shows a notification in the place of an earlier one, and returns its number.
    pub(super) async fn show(replaces: u32, body: &str) -> zbus::Result<Option<u32>> {
        let showing = async {
            let connection = Connection::session().await?;
            let name = "org.freedesktop.Notifications";
            let proxy = Proxy::new(&connection, name, "/org/freedesktop/Notifications", name).await?;
            let escaped = body.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let (actions, hints) = (Vec::<&str>::new(), HashMap::<&str, Value<'_>>::new());
            let title = "An agent took a screenshot";
            let notification = ("Fotos", replaces, "camera-photo", title, escaped, actions, hints, STAYS);
            proxy.call("Notify", &notification).await
        };
        timeout(PATIENCE, showing).await.map_or(Ok(None), |shown| shown.map(Some))
    }
}

#[cfg(not(target_os = "linux"))]
mod desktop {
    /// Other systems show by themselves that a program looks at the screen.
    pub(super) async fn show(_: u32, _: &str) -> Result<Option<u32>, std::convert::Infallible> {
        Ok(None)
    }
}
