//! Fotos, the desktop application: a window, a tray and shortcuts around `fotos::Host`, which it serves to agents on the socket.
//!
//! ```text
//! window ── http://127.0.0.1:PORT, one-time link, cookie ── pages ── Host ── socket ── fotos-mcp
//! tray, shortcut, second start ── Remote ────────────────────┘  └── Desk: clipboard, files, overlays, pins
//! ```

mod arguments;
mod clipboard;
mod desk;
mod doing;
mod overlay;
mod pins;
mod quitting;
mod serving;
mod shortcuts;
mod sys;
mod tray;
mod windows;

use std::alloc::System;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use tauri::{App, DragDropEvent, Manager as _, RunEvent, Window, WindowEvent};
use tauri_plugin_window_state::StateFlags;

use arguments::Arguments;
use desk::Desk;
use serving::{Serving, ServingError};
use zeroizing_alloc::ZeroAlloc;

/// Wipes memory when it is given back: what the person covered for good is nowhere any more.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("there is no display; start Fotos in a desktop session, or set `DISPLAY`")]
    NoDisplay,
    #[error(transparent)]
    Serving(#[from] ServingError),
    #[error("the window cannot be made: {0}")]
    Window(#[from] tauri::Error),
}

fn main() -> ExitCode {
    let Err(error) = start(&Arguments::parse()) else { return ExitCode::SUCCESS };
    sys::tell(&format!("Fotos cannot start: {error}"));
    ExitCode::FAILURE
}

#[allow(clippy::exit, reason = "written by the macro of Tauri")]
fn start(wanted: &Arguments) -> Result<(), StartError> {
    if !sys::has_display() {
        return Err(StartError::NoDisplay);
    }
    let app = tauri::Builder::default()
        // First of all: a second start ends here, after it told the first one what is wanted.
        .plugin(tauri_plugin_single_instance::init(|app, arguments, folder| {
            if let Ok(wanted) = Arguments::try_parse_from(arguments) {
                doing::carry_out(app, &wanted, Path::new(&folder));
            }
        }))
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .plugin(
            tauri_plugin_window_state::Builder::new()
                // Whether it is seen depends on how Fotos is started.
                .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
                .with_filter(|label| label == windows::MAIN)
                .build(),
        )
        .on_window_event(on_window_event)
        .build(tauri::generate_context!())?;
    // Not in Tauri's `setup`, where a failure is a panic.
    set_up(&app, wanted)?;
    app.run(|app, event| match event {
        // Without a window there is still the tray, and there are agents.
        RunEvent::ExitRequested { api, code: None, .. } => api.prevent_exit(),
        RunEvent::Exit => app.state::<Serving>().stop(),
        _ => {}
    });
    Ok(())
}

fn set_up(app: &App, wanted: &Arguments) -> Result<(), StartError> {
    let handle = app.handle();
    let desk = Arc::new(Desk::new(handle.clone(), shortcuts::register(handle)));
    let serving = Serving::start(handle, &desk)?;
    app.manage(desk);
    app.manage(serving);
    windows::make_main(handle, !wanted.hidden)?;
    tray::show(handle)?;
    quitting::listen_to_signals(handle);
    let folder = std::env::current_dir().unwrap_or_default();
    doing::carry_out_rest(handle, wanted, &folder);
    Ok(())
}

fn on_window_event(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    match event {
        WindowEvent::CloseRequested { api, .. } if window.label() == windows::MAIN => {
            api.prevent_close();
            // It rests in the tray, if there is one to find it in again.
            if sys::has_tray() {
                let _ = window.hide();
            } else {
                quitting::quit(app);
            }
        }
        WindowEvent::CloseRequested { .. } if overlay::is_one(window.label()) => {
            app.state::<Serving>().remote().leave_region();
        }
        WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) if window.label() == windows::MAIN => {
            let host = app.state::<Serving>().host();
            // What is dragged out of the window and let go of in it stays what it is.
            let (own, others): (Vec<_>, Vec<_>) = paths.iter().partition(|path| host.is_dragged(path));
            if !own.is_empty() {
                app.state::<Arc<Desk>>().note_drop();
            }
            for path in others {
                doing::open_file(app, path.clone());
            }
        }
        _ => {}
    }
}
