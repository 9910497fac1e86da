//! Pictures that leave: copied, saved, pinned, downloaded.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use web::axum::extract::{Path, Query, State};
use web::axum::http::HeaderValue;
use web::axum::http::header::CONTENT_DISPOSITION;

use super::failure::{Answer, Failure, json, read, typed};
use super::{DesktopError, Shared, Site};
use crate::error::Error;
use crate::host::Format;
use crate::screenshot::Left;

/// What kind of file is wanted. What is not said is as the settings have it.
#[derive(Deserialize)]
pub(super) struct Wanted {
    format: Option<String>,
    quality: Option<u8>,
    /// Whether the person is asked where it goes.
    #[serde(default)]
    ask: bool,
}

struct Kind {
    format: Format,
    mime: &'static str,
    extension: &'static str,
}

impl Wanted {
    fn kind(&self, site: &Site) -> Result<Kind, Failure> {
        let settings = site.host.settings();
        let format = self.format.as_deref().unwrap_or(&settings.capture.default_format);
        let quality = self.quality.unwrap_or(settings.capture.jpeg_quality).clamp(1, 100);
        match format {
            "png" => Ok(Kind { format: Format::Png, mime: "image/png", extension: "png" }),
            "jpg" | "jpeg" => {
                Ok(Kind { format: Format::Jpeg { quality }, mime: "image/jpeg", extension: "jpg" })
            }
            other => Err(Failure::bad(format!("there is no format `{other}` here; choose png or jpg"))),
        }
    }
}

/// What the file of a screenshot is called, by the time it was taken.
fn name(site: &Site, id: &str, extension: &str) -> Result<String, Error> {
    let taken = site.host.shot(id)?.summary.timestamp;
    let clean: String =
        taken.chars().take(19).map(|letter| if letter == 'T' { ' ' } else { letter }).collect();
    Ok(format!("Fotos {}.{extension}", clean.replace(':', ".")))
}

async fn file(site: &Arc<Site>, id: &str, format: Format) -> Result<Bytes, Failure> {
    let id = id.to_owned();
    Ok(site.host.work(move |host| host.export(&id, format)).await?)
}

/// `GET shots/{id}/export`: the file, for a browser to save.
pub(super) async fn export(
    State(site): Shared,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Answer {
    let Kind { format, mime, extension } = wanted.kind(&site)?;
    let bytes = file(&site, &id, format).await?;
    let mut response = typed(mime, bytes);
    let disposition = format!("attachment; filename=\"{}\"", name(&site, &id, extension)?);
    if let Ok(value) = HeaderValue::try_from(disposition) {
        response.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum To {
    Clipboard,
    File,
}

#[derive(Deserialize)]
struct Went {
    to: To,
}

/// `POST shots/{id}/exported`: the browser copied or saved it.
pub(super) async fn exported(State(site): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    let to = match read::<Went>(&bytes)?.to {
        To::Clipboard => Left::Clipboard,
        To::File => Left::File { path: "a download".to_owned() },
    };
    site.host.exported(&id, to)?;
    Ok(json(&site.host.shot(&id)?))
}

/// Does something that may take its time.
async fn on_desktop<T: Send + 'static>(
    site: &Arc<Site>,
    work: impl FnOnce(&Site) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let site = Arc::clone(site);
    let done = tokio::task::spawn_blocking(move || work(&site)).await;
    done.map_err(|_| Failure::from(Error::Interrupted))?
}

/// `POST shots/{id}/copy`
pub(super) async fn copy(State(site): Shared, Path(id): Path<String>) -> Answer {
    let wanted = id.clone();
    on_desktop(&site, move |site| {
        let pixels = site.host.view(&wanted)?.pixels()?;
        Ok(site.desktop.copy(&pixels)?)
    })
    .await?;
    site.host.exported(&id, Left::Clipboard)?;
    Ok(json(&site.host.shot(&id)?))
}

/// `POST shots/{id}/save`
pub(super) async fn save(State(site): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    let wanted: Wanted = read(&bytes)?;
    if !site.desktop.abilities().save {
        return Err(DesktopError::NoDesktop.into());
    }
    let kind = wanted.kind(&site)?;
    let folder = folder(&site.host.settings().capture.save_directory)?;
    let suggested = folder.join(name(&site, &id, kind.extension)?);
    let path = if wanted.ask {
        on_desktop(&site, move |site| Ok(site.desktop.ask_where(&suggested)?)).await?
    } else {
        Some(unused(suggested))
    };
    let Some(path) = path else { return Ok(json(&json!({ "path": null }))) };
    let bytes = file(&site, &id, kind.format).await?;
    let written = path.clone();
    on_desktop(&site, move |_| {
        let cannot = |error: std::io::Error| {
            Failure::from(DesktopError::Failed(format!("cannot save `{}`: {error}", written.display())))
        };
        if let Some(folder) = written.parent() {
            std::fs::create_dir_all(folder).map_err(cannot)?;
        }
        write(&written, &bytes).map_err(cannot)
    })
    .await?;
    let path = path.display().to_string();
    site.host.exported(&id, Left::File { path: path.clone() })?;
    Ok(json(&json!({ "path": path })))
}

/// Writes beside the file, then puts that in its place: whoever looks finds the old one or the new one, whole.
fn write(path: &FilePath, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;

    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", uuid::Uuid::new_v4().simple()));
    let beside = PathBuf::from(beside);
    let written = std::fs::File::create_new(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // It may not be there; what went wrong is said already.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// Where files go: `~` is the person's home.
fn folder(text: &str) -> Result<PathBuf, DesktopError> {
    let Some(rest) = text.strip_prefix('~') else { return Ok(PathBuf::from(text)) };
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| {
        DesktopError::Failed("`HOME` is not set; choose another folder in the settings".to_owned())
    })?;
    Ok(home.join(rest.trim_start_matches('/')))
}

/// The same name, with a number where there is such a file already.
fn unused(path: PathBuf) -> PathBuf {
    let (stem, extension) = (path.file_stem().unwrap_or_default(), path.extension().unwrap_or_default());
    let numbered = |number: u32| {
        path.with_file_name(format!("{} {number}.{}", stem.to_string_lossy(), extension.to_string_lossy()))
    };
    if !path.exists() {
        return path;
    }
    (2..1_000).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| path.clone())
}

/// `POST shots/{id}/pin`
pub(super) async fn pin(State(site): Shared, Path(id): Path<String>) -> Answer {
    site.host.shot(&id)?;
    on_desktop(&site, move |site| Ok(site.desktop.pin(&id)?)).await?;
    Ok(json(&json!({})))
}
