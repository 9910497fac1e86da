//! The windows: what they have in common, and the main one.

use std::net::SocketAddr;

use tauri::webview::{Color, NewWindowResponse};
use tauri::{AppHandle, Manager as _, Url, WebviewUrl, WebviewWindowBuilder, Wry};

use crate::serving::Serving;

/// The window everything is in.
pub(crate) const MAIN: &str = "main";

/// A window with a page of ours in it, which can go nowhere else.
pub(crate) fn builder<'a>(
    app: &'a AppHandle,
    label: &str,
    page: &str,
) -> tauri::Result<WebviewWindowBuilder<'a, Wry, AppHandle>> {
    let serving = app.state::<Serving>();
    let (link, address) = (serving.link(page)?, serving.address());
    Ok(WebviewWindowBuilder::new(app, label, WebviewUrl::External(link))
        .data_directory(serving.web_folder())
        .background_color(Color(20, 21, 26, 255))
        .on_navigation(move |url| is_ours(url, address))
        .on_new_window(|_, _| NewWindowResponse::Deny))
}

/// Whether a window may go there: only to what we serve.
fn is_ours(url: &Url, address: SocketAddr) -> bool {
    url.scheme() == "http"
        && url.host_str() == Some(&address.ip().to_string())
        && url.port_or_known_default() == Some(address.port())
}

/// Makes the main window, and shows it if that is wanted.
pub(crate) fn make_main(app: &AppHandle, is_shown: bool) -> tauri::Result<()> {
    builder(app, MAIN, fotos::pages::PATH)?
        .title("Fotos")
        .inner_size(1280.0, 860.0)
        .min_inner_size(480.0, 400.0)
        .visible(is_shown)
        .build()
        .map(drop)
}

/// Brings the main window up.
pub(crate) fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::is_ours;

    #[test]
    fn a_window_goes_nowhere_but_to_our_own_port() {
        let address = SocketAddr::from(([127, 0, 0, 1], 4711));
        let goes = |url: &str| is_ours(&url.parse().expect("a URL"), address);
        assert!(goes("http://127.0.0.1:4711/fotos"));
        for other in [
            "http://127.0.0.1:4712/fotos",
            "https://127.0.0.1:4711/fotos",
            "http://127.0.0.1/fotos",
            "http://localhost:4711/fotos",
            "http://127.0.0.1.example.org:4711/fotos",
            "http://127.0.0.1:4711@example.org/fotos",
            "file:///etc/passwd",
            "data:text/html,hello",
            "javascript:alert(1)",
        ] {
            assert!(!goes(other), "{other}");
        }
    }
}
