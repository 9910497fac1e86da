//! What is begun outside of the window: on the command line, by a key, from the tray, by dropping files.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use fotos::pages::MOST_BYTES;
use tauri::{AppHandle, Manager as _};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};

use crate::arguments::Arguments;
use crate::serving::Serving;
use crate::windows;

/// What a second start wants.
pub(crate) fn carry_out(app: &AppHandle, wanted: &Arguments, folder: &Path) {
    if !(wanted.region || wanted.full || wanted.hidden) {
        windows::show(app);
    }
    carry_out_rest(app, wanted, folder);
}

/// The same, for the first start, whose window is there already.
pub(crate) fn carry_out_rest(app: &AppHandle, wanted: &Arguments, folder: &Path) {
    if wanted.region {
        choose_region(app);
    }
    if wanted.full {
        capture_all(app);
    }
    for file in &wanted.files {
        open_file(app, folder.join(file));
    }
}

/// Freezes the screen for a region to be chosen.
pub(crate) fn choose_region(app: &AppHandle) {
    let Some(serving) = app.try_state::<Serving>() else { return };
    let (remote, app) = (serving.remote(), app.clone());
    serving.spawn(async move {
        if let Err(message) = remote.choose_region().await {
            complain(&app, message);
        }
    });
}

/// Takes a picture of all screens.
pub(crate) fn capture_all(app: &AppHandle) {
    let Some(serving) = app.try_state::<Serving>() else { return };
    let (remote, app) = (serving.remote(), app.clone());
    serving.spawn(async move {
        if let Err(message) = remote.capture_all().await {
            complain(&app, message);
        }
    });
}

/// Opens a picture in the window.
pub(crate) fn open_file(app: &AppHandle, path: PathBuf) {
    let Some(serving) = app.try_state::<Serving>() else { return };
    let (host, app) = (serving.host(), app.clone());
    serving.spawn(async move {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let shown = path.display().to_string();
        let read = tokio::task::spawn_blocking(move || read(&path)).await;
        let opened = match read {
            Ok(Ok(bytes)) => host.add_picture(name, bytes.into()).await.map_err(|error| error.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let brought =
            opened.and_then(|shot| host.bring_up(&shot.id().to_string()).map_err(|error| error.to_string()));
        if let Err(message) = brought {
            complain(&app, format!("cannot open `{shown}`: {message}"));
        }
    });
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let regular = |found: std::fs::Metadata| {
        if found.is_file() { Ok(()) } else { Err(std::io::Error::other("it is no regular file")) }
    };
    // Opening a pipe would wait for somebody to write into it.
    regular(std::fs::metadata(path)?)?;
    let file = std::fs::File::open(path)?;
    // It may be another one by now; a device might never end.
    regular(file.metadata()?)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MOST_BYTES {
        return Err(std::io::Error::other(format!("it is larger than {} MiB", MOST_BYTES >> 20)));
    }
    Ok(bytes)
}

/// Says what went wrong, also where no window is seen.
pub(crate) fn complain(app: &AppHandle, message: String) {
    app.dialog().message(message).title("Fotos").kind(MessageDialogKind::Error).show(|_| {});
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::read;

    #[test]
    fn only_regular_files_are_read_and_a_pipe_is_not_waited_for() {
        let folder = std::env::temp_dir().join(format!("fotos-desktop-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (file, pipe) = (folder.join("a.png"), folder.join("pipe"));
        std::fs::write(&file, b"pixels").expect("a file");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        assert_eq!(read(&file).expect("read"), b"pixels");
        for other in [pipe.as_path(), folder.as_path(), Path::new("/dev/zero")] {
            let refused = read(other).expect_err("refused").to_string();
            assert!(refused.contains("no regular file"), "{refused}");
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
