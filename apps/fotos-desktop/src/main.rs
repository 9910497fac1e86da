//! Fotos, the desktop application: a window, a tray and shortcuts around `fotos::Host`, which it serves to agents on the socket.
//!
//! ```text
//! window ── http://127.0.0.1:PORT, one-time link, cookie ── pages ── Host ── socket ── fotos-mcp
//! tray, shortcut ── Remote ──────────────────────────────────┘  └── Desktop: clipboard, files, overlays, pins
//! ```

mod desk;
mod overlay;
mod serving;
mod tray;

use std::process::ExitCode;
use std::sync::Arc;

use tauri::{AppHandle, Manager, RunEvent, WebviewUrl, WebviewWindowBuilder, WindowEvent};
use tauri_plugin_global_shortcut::{GlobalShortcutExt, ShortcutState};

use desk::Desk;
use serving::Serving;

/// The window everything is in.
const MAIN: &str = "main";

/// The keys that choose a region from anywhere.
const SHORTCUT: &str = "ctrl+shift+KeyS";

fn main() -> ExitCode {
    let app = tauri::Builder::default()
        // First of all: a second start only brings the first one up.
        .plugin(tauri_plugin_single_instance::init(|app, arguments, _| second_start(app, &arguments)))
        .plugin(tauri_plugin_clipboard_manager::init())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .plugin(tauri_plugin_window_state::Builder::new().with_filter(|label| label == MAIN).build())
        .on_window_event(|window, event| {
            // The application rests in the tray; the tray and Ctrl+Q end it.
            if let (MAIN, WindowEvent::CloseRequested { api, .. }) = (window.label(), event)
                && window.app_handle().tray_by_id(tray::ID).is_some()
            {
                api.prevent_close();
                let _ = window.hide();
            }
        })
        .setup(|app| Ok(set_up(app.handle())?))
        .build(tauri::generate_context!());
    match app {
        Ok(app) => {
            app.run(|_, event| {
                // Without a window there is still the tray, and agents.
                if let RunEvent::ExitRequested { api, code: None, .. } = event {
                    api.prevent_exit();
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => {
            use std::io::Write as _;
            // Nobody may read it.
            let _ = writeln!(std::io::stderr(), "error: Fotos cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}

fn set_up(app: &AppHandle) -> Result<(), Box<dyn std::error::Error>> {
    let shortcut = register_shortcut(app);
    let desk = Arc::new(Desk::new(app.clone(), shortcut));
    let serving = Serving::start(app, &desk)?;
    let address = serving.address();
    let url = serving.link()?.parse()?;
    app.manage(serving);
    WebviewWindowBuilder::new(app, MAIN, WebviewUrl::External(url))
        .title("Fotos")
        .inner_size(1280.0, 860.0)
        .min_inner_size(480.0, 400.0)
        .on_navigation(Serving::is_ours(address))
        .build()?;
    tray::show(app)?;
    Ok(())
}

/// What the shortcut is called, where the desktop lets us have it.
fn register_shortcut(app: &AppHandle) -> Option<String> {
    let pressed = |app: &AppHandle, _: &_, event: tauri_plugin_global_shortcut::ShortcutEvent| {
        if event.state() == ShortcutState::Pressed {
            choose_region(app);
        }
    };
    app.global_shortcut().on_shortcut(SHORTCUT, pressed).ok()?;
    Some("Ctrl+Shift+S".to_owned())
}

/// Freezes the screen for a region to be chosen.
fn choose_region(app: &AppHandle) {
    let Some(serving) = app.try_state::<Serving>() else { return };
    let (remote, app) = (serving.remote(), app.clone());
    serving.spawn(async move {
        if let Err(message) = remote.choose_region().await {
            use tauri_plugin_dialog::DialogExt as _;
            app.dialog().message(message).title("Fotos").show(|_| {});
        }
    });
}

fn second_start(app: &AppHandle, arguments: &[String]) {
    if arguments.iter().any(|argument| argument == "--region") {
        choose_region(app);
    } else {
        show(app);
    }
}

/// Brings the window up.
fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let _ = window.show();
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}
