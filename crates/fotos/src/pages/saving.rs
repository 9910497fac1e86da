//! Pictures that leave: copied, saved, pinned, downloaded.

use std::io::ErrorKind;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use files::{Existing, ReplaceError};
use serde::Deserialize;
use serde_json::json;
use web::axum::extract::{Path, Query, State};
use web::axum::http::HeaderValue;
use web::axum::http::header::CONTENT_DISPOSITION;

use super::failure::{Answer, Failure, json, read, typed};
use super::{DesktopError, Shared, Site};
use crate::error::Error;
use crate::host::{Format, file_name};
use crate::screenshot::Left;

/// How many files of one name there may be.
const MOST_OF_A_NAME: u32 = 1_000;

/// What kind of file is wanted. What is not said is as the settings have it.
#[derive(Deserialize)]
pub(super) struct Wanted {
    format: Option<String>,
    quality: Option<u8>,
    /// Whether the person is asked where it goes.
    #[serde(default)]
    ask: bool,
}

/// What a file has in it.
#[derive(Clone, Copy)]
enum Content {
    Picture(Format),
    /// What is drawn, as data.
    Annotations,
}

struct Kind {
    content: Content,
    mime: &'static str,
    extension: &'static str,
}

impl Wanted {
    fn kind(&self, site: &Site) -> Result<Kind, Failure> {
        let settings = site.host.settings();
        let format = self.format.as_deref().unwrap_or(&settings.capture.default_format);
        let quality = |usual: u8| self.quality.unwrap_or(usual).clamp(1, 100);
        let picture = |format, mime, extension| Kind { content: Content::Picture(format), mime, extension };
        match format {
            "png" => Ok(picture(Format::Png, "image/png", "png")),
            "jpg" | "jpeg" => {
                let quality = quality(settings.capture.jpeg_quality);
                Ok(picture(Format::Jpeg { quality }, "image/jpeg", "jpg"))
            }
            "webp" => {
                let quality = quality(settings.capture.webp_quality);
                Ok(picture(Format::Webp { quality }, "image/webp", "webp"))
            }
            "json" => Ok(Kind { content: Content::Annotations, mime: "application/json", extension: "json" }),
            other => Err(Failure::bad(format!("there is no format `{other}` here; choose png, jpg or webp"))),
        }
    }
}

fn name(site: &Site, id: &str, extension: &str) -> Result<String, Error> {
    Ok(file_name(&site.host.shot(id)?.summary, extension))
}

async fn file(site: &Arc<Site>, id: &str, content: Content) -> Result<Bytes, Failure> {
    let id = id.to_owned();
    match content {
        Content::Picture(format) => Ok(site.host.work(move |host| host.export(&id, format)).await?),
        Content::Annotations => {
            let annotations = json!({ "annotations": site.host.document(&id)?.annotations });
            let text =
                serde_json::to_vec_pretty(&annotations).map_err(|error| Failure::bad(error.to_string()))?;
            Ok(text.into())
        }
    }
}

/// `GET shots/{id}/export`: the file, for a browser to save.
pub(super) async fn export(
    State(site): Shared,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Answer {
    let Kind { content, mime, extension } = wanted.kind(&site)?;
    let bytes = file(&site, &id, content).await?;
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
    Dragged,
    /// Not the picture, but text that was read in it: it is as private, and saves nothing.
    Text,
}

#[derive(Deserialize)]
struct Went {
    to: To,
}

/// `POST shots/{id}/exported`: the browser copied or saved it, or it was dragged into another program.
pub(super) async fn exported(State(site): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    let to = match read::<Went>(&bytes)?.to {
        To::Clipboard => Left::Clipboard,
        To::File => Left::File { path: "a download".to_owned() },
        To::Dragged if site.desktop.was_dropped_here() => return Ok(json(&site.host.shot(&id)?)),
        To::Dragged => Left::Dragged,
        To::Text => {
            site.host.text_copied(&id)?;
            return Ok(json(&site.host.shot(&id)?));
        }
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
    let (mut path, mut existing) = (suggested.clone(), Existing::Stays);
    if wanted.ask {
        let asked = on_desktop(&site, move |site| Ok(site.desktop.ask_where(&suggested)?)).await?;
        let Some(chosen) = asked else { return Ok(json(&json!({ "path": null }))) };
        // The person was asked about the name they typed, and about no other.
        let is_whole = chosen.extension().is_some();
        existing = if is_whole { Existing::GivesWay } else { Existing::Stays };
        path = if is_whole { chosen } else { chosen.with_extension(kind.extension) };
    }
    // Made only now: while the person was asked, something may have been covered for good.
    let bytes = file(&site, &id, kind.content).await?;
    let path = on_desktop(&site, move |_| match existing {
        Existing::GivesWay => write(&path, &bytes, existing).map(|()| path).map_err(|error| failed(&error)),
        Existing::Stays => write_beside(&path, &bytes),
    })
    .await?;
    let path = path.display().to_string();
    if let Content::Picture(_) = kind.content {
        site.host.exported(&id, Left::File { path: path.clone() })?;
    }
    Ok(json(&json!({ "path": path })))
}

fn failed(error: &ReplaceError) -> Failure {
    DesktopError::Failed(error.to_string()).into()
}

fn write(path: &FilePath, bytes: &[u8], existing: Existing) -> Result<(), ReplaceError> {
    if let Some(folder) = path.parent() {
        let io = |source| ReplaceError::Io { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    files::save(path, bytes, existing)
}

/// Writes a file of this name, with a number where there is one already, and says which.
fn write_beside(path: &FilePath, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let (stem, extension) = (path.file_stem().unwrap_or_default(), path.extension().unwrap_or_default());
    let numbered = |number: u32| {
        path.with_file_name(format!("{} {number}.{}", stem.to_string_lossy(), extension.to_string_lossy()))
    };
    for path in std::iter::once(path.to_owned()).chain((2..MOST_OF_A_NAME).map(numbered)) {
        match write(&path, bytes, Existing::Stays) {
            Err(ReplaceError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&error)),
            Ok(()) => return Ok(path),
        }
    }
    let taken = format!("there are {MOST_OF_A_NAME} files like `{}`; choose another name", path.display());
    Err(DesktopError::Failed(taken).into())
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

/// `POST shots/{id}/lend`: the file that is dragged into another program.
pub(super) async fn lend(State(site): Shared, Path(id): Path<String>) -> Answer {
    if !site.desktop.abilities().drag {
        return Err(DesktopError::NoDesktop.into());
    }
    let path = site.host.work(move |host| host.lend(&id)).await?;
    Ok(json(&json!({ "path": path.to_string_lossy() })))
}

/// `POST shots/{id}/pin`
pub(super) async fn pin(State(site): Shared, Path(id): Path<String>) -> Answer {
    site.host.shot(&id)?;
    on_desktop(&site, move |site| Ok(site.desktop.pin(&id)?)).await?;
    Ok(json(&json!({})))
}

#[cfg(test)]
mod tests {
    use std::path::{Path as FilePath, PathBuf};
    use std::sync::Arc;

    use bytes::Bytes;
    use geometry::Rect;
    use mcp_testkit::Folder;
    use picture::Pixels;
    use web::axum::extract::{Path, State};

    use super::{Site, save};
    use crate::capture::Shot;
    use crate::pages::{Abilities, Desktop, DesktopError};
    use crate::screenshot::{Mode, Screenshot};
    use crate::{Config, Host};

    const SECRET: [u8; 3] = [9, 200, 30];

    /// A person who redacts while a dialog asks them where the file goes.
    struct Redacting {
        host: Arc<Host>,
        chosen: PathBuf,
    }

    impl Desktop for Redacting {
        fn abilities(&self) -> Abilities {
            Abilities { save: true, ..Abilities::default() }
        }

        fn ask_where(&self, _: &FilePath) -> Result<Option<PathBuf>, DesktopError> {
            for shot in self.host.shots() {
                let covered =
                    self.host.commit_redaction(&shot.summary.screenshot_id, &[Rect::of_size(50, 40)]);
                covered.expect("covered");
            }
            Ok(Some(self.chosen.clone()))
        }
    }

    #[test]
    fn what_is_covered_while_the_person_is_asked_where_is_not_in_the_file() {
        let folder = Folder::new();
        let host = Arc::new(Host::open(Config::default(), &folder.path("fotos")).expect("a host"));
        let shot = Shot::of(Pixels::plain(50, 40, SECRET));
        let id = host.keep(Screenshot::captured(Mode::Fullscreen, shot)).id().to_string();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let other = folder.file("name.png", b"somebody's");
        for (chosen, written) in [("chosen.png", "chosen.png"), ("name", "name 2.png")] {
            let desktop = Arc::new(Redacting { host: Arc::clone(&host), chosen: folder.path(chosen) });
            let site = Arc::new(Site::new(Arc::clone(&host), desktop));
            let wanted = Bytes::from_static(br#"{"format":"png","ask":true}"#);
            let saved = runtime.block_on(save(State(site), Path(id.clone()), wanted));
            assert!(saved.is_ok());
            let png = std::fs::read(folder.path(written)).expect("a file");
            let pixels = Pixels::from_png(&png, 10_000).expect("a PNG");
            assert!(pixels.bytes().chunks_exact(3).all(|pixel| pixel != SECRET));
        }
        assert_eq!(std::fs::read(other).expect("still there"), b"somebody's");
    }
}
