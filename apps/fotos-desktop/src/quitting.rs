//! The end: asked for in the window, from the tray or by the system.

use tauri::{AppHandle, Manager as _};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons};

use crate::serving::Serving;
use crate::sys;

/// Ends Fotos, after asking if something is not saved and will be lost.
pub(crate) fn quit(app: &AppHandle) {
    let unsaved = match app.state::<Serving>().host().unsaved() {
        0 => return app.exit(0),
        1 => "A screenshot is not saved".to_owned(),
        many => format!("{many} screenshots are not saved"),
    };
    let ending = app.clone();
    app.dialog()
        .message(format!("{unsaved}, and will be gone. Agents cannot use Fotos until you start it again."))
        .title("Quit Fotos?")
        .buttons(MessageDialogButtons::OkCancelCustom("Quit".to_owned(), "Stay".to_owned()))
        .show(move |is_wanted| {
            if is_wanted {
                ending.exit(0);
            }
        });
}

/// Ends Fotos when the system or a terminal ends it. Nobody is asked then.
pub(crate) fn listen_to_signals(app: &AppHandle) {
    let ending = app.clone();
    app.state::<Serving>().spawn(async move {
        if sys::asked_to_end().await.is_ok() {
            ending.exit(0);
        }
    });
}
