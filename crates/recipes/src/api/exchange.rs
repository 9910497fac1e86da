//! Recipes from elsewhere and for elsewhere: import, export, and the whole cookbook as a file.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::Frame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use web::axum::body::Body;
use web::axum::extract::{Request, State};
use web::axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::Response;

use crate::api::caller::Caller;
use crate::api::input::{At, Json, Pairs, whole};
use crate::api::output;
use crate::api::problem::Problem;
use crate::auth::Scope;
use crate::cookbook::Embedded;
use crate::error::Error;
use crate::export::{self, NoArchive};
use crate::family::Role;
use crate::id::kind;
use crate::import::{self, Import, Keep, NoImport, OnDuplicate, Report};
use crate::recipe::Recipe;
use crate::record::{OnConflict, Restored};
use crate::site::Book;
use crate::text::Text;

type Answer = Result<Response, Problem>;

/// The most bytes of a file that is sent to us. Larger ones go by the command line, which has them on disk.
pub(crate) const MOST_UPLOAD: usize = 128 * 1024 * 1024;

/// How long somebody may take to send one.
const PATIENCE: Duration = Duration::from_secs(600);

/// What to import.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "ImportRequest")]
pub(crate) struct ImportRequest {
    /// The address of a page with a recipe.
    #[serde(default)]
    pub(crate) url: Option<Text<1, 2_000>>,
    /// The HTML of such a page, schema.org JSON-LD, or a recipe in Cooklang. Give one of the two.
    #[serde(default)]
    pub(crate) text: Option<Text<1, 4_000_000>>,
    /// What to do with a recipe whose title is taken.
    #[serde(default)]
    pub(crate) on_duplicate: OnDuplicate,
    /// Only shows what would be imported.
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// `POST /import`
pub(super) async fn import(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(asked): Json<ImportRequest>,
) -> Answer {
    // Who may not write is told before anything is fetched or read for them.
    scope.may(Role::Editor)?;
    // Reading takes many times the memory of a text.
    let _turn = turn(&book).await?;
    let found = match (asked.url, asked.text) {
        (Some(url), None) => book.web.page(url.as_str()).await?,
        (None, Some(text)) => read_text(text.into_string()).await?,
        (None, None) | (Some(_), Some(_)) => {
            return Err(Problem::field("url", "give one of `url` and `text`"));
        }
    };
    let report = keep(&book, scope, found, Keep::asked(asked.dry_run, asked.on_duplicate)).await?;
    Ok(output::json(StatusCode::OK, &report))
}

/// `POST /import/file`
pub(super) async fn import_file(
    State(book): State<Book>,
    Caller(scope): Caller,
    pairs: Pairs,
    request: Request,
) -> Answer {
    let on_duplicate = chosen(
        &pairs,
        "on_duplicate",
        [("skip", OnDuplicate::Skip), ("rename", OnDuplicate::Rename), ("replace", OnDuplicate::Replace)],
    )?;
    let dry_run = chosen(&pairs, "dry_run", [("false", false), ("true", true)])?;
    scope.may(Role::Editor)?;
    let upload = upload(&book, request).await?;
    let found = read_file(pairs.text("name").unwrap_or_default().to_owned(), upload.bytes).await?;
    let report = keep(&book, scope, found, Keep::asked(dry_run, on_duplicate)).await?;
    Ok(output::json(StatusCode::OK, &report))
}

/// One of the words a query may have; the default unless given.
fn chosen<T: Copy + Default, const N: usize>(
    pairs: &Pairs,
    name: &str,
    words: [(&str, T); N],
) -> Result<T, Problem> {
    let Some(given) = pairs.text(name) else { return Ok(T::default()) };
    let found = words.iter().find(|(word, _)| *word == given).map(|(_, value)| *value);
    let all = || words.map(|(word, _)| format!("`{word}`")).join(", ");
    found.ok_or_else(|| Problem::field(name, format!("expected one of {}", all())))
}

/// Puts what was read into the cookbook of this scope, or shows it.
pub(crate) async fn keep(book: &Book, scope: Scope, found: Import, keep: Keep) -> Result<Report, Error> {
    let cookbook = Embedded::within(book.store.clone(), scope);
    import::run(&cookbook, &book.web, found, keep).await
}

/// Recipes in text. Reading takes long enough to need a thread of its own.
pub(crate) async fn read_text(text: String) -> Result<Import, Problem> {
    let read = tokio::task::spawn_blocking(move || import::read_text(&text, None));
    finished(read.await)?.map_err(|error| unreadable("text", &error))
}

/// Recipes in a file.
pub(crate) async fn read_file(name: String, bytes: Bytes) -> Result<Import, Problem> {
    let read = tokio::task::spawn_blocking(move || import::read_file(&name, &bytes));
    finished(read.await)?.map_err(|error| unreadable("file", &error))
}

fn finished<T>(done: Result<T, tokio::task::JoinError>) -> Result<T, Problem> {
    done.map_err(|_| Error::unavailable("reading broke down; try again").into())
}

fn unreadable(field: &str, error: &NoImport) -> Problem {
    match error {
        NoImport::TooLarge(_) | NoImport::Bomb(_) => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", error.to_string())
        }
        NoImport::Nothing | NoImport::TooMany | NoImport::Values | NoImport::Damaged(_) => {
            Problem::field(field, error)
        }
    }
}

/// A file that was sent to us. Few are in memory at once: who comes later waits.
pub(crate) struct Upload {
    pub(crate) bytes: Bytes,
    pub(crate) _turn: OwnedSemaphorePermit,
}

/// The body as a file.
pub(crate) async fn upload(book: &Book, request: Request) -> Result<Upload, Problem> {
    let turn = turn(book).await?;
    let bytes = in_time(whole(request, MOST_UPLOAD)).await??;
    Ok(Upload { bytes, _turn: turn })
}

/// Waits until a large file may be in memory.
pub(crate) async fn turn(book: &Book) -> Result<OwnedSemaphorePermit, Problem> {
    book.uploads.clone().acquire_owned().await.map_err(|error| Error::unavailable(error).into())
}

/// Waits until a photo may be in memory.
pub(crate) async fn photo_turn(book: &Book) -> Result<OwnedSemaphorePermit, Problem> {
    book.photos.clone().acquire_owned().await.map_err(|error| Error::unavailable(error).into())
}

/// What somebody sends, unless they take too long: others wait for their turn.
pub(crate) async fn in_time<T>(sending: impl Future<Output = T>) -> Result<T, Problem> {
    tokio::time::timeout(PATIENCE, sending).await.map_err(|_| {
        let minutes = PATIENCE.as_secs() / 60;
        let reason = format!("the file did not arrive within {minutes} minutes; send it again");
        Problem::new(StatusCode::BAD_REQUEST, "bad_form", reason)
    })
}

/// What a recipe can be exported as.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Format {
    #[default]
    JsonLd,
    Cooklang,
}

/// `GET /recipes/{id}/export`
pub(super) async fn export(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
) -> Answer {
    let format = format(&pairs)?;
    Ok(exported(&book.store.recipe(&scope, id).await?, format))
}

/// The format that a query names.
pub(crate) fn format(pairs: &Pairs) -> Result<Format, Problem> {
    chosen(pairs, "format", [("json-ld", Format::JsonLd), ("cooklang", Format::Cooklang)])
}

/// A recipe as a file.
pub(crate) fn exported(recipe: &Recipe, format: Format) -> Response {
    let (text, kind, ending) = match format {
        Format::JsonLd => {
            let text = serde_json::to_string_pretty(&export::json_ld(recipe)).unwrap_or_default();
            (text, "application/ld+json", "jsonld")
        }
        Format::Cooklang => (export::cooklang(recipe), "text/plain; charset=utf-8", "cook"),
    };
    file(Body::from(text), kind, &format!("{}.{ending}", recipe.title))
}

/// An answer that browsers save under a name.
fn file(body: Body, kind: &'static str, name: &str) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let name = crate::pages::encoded(&name.replace(['/', '\\'], "-"));
    output::put(headers, CONTENT_DISPOSITION.as_str(), &format!("attachment; filename*=UTF-8''{name}"));
    response
}

/// `GET /backup`
pub(super) async fn backup(State(book): State<Book>, Caller(scope): Caller) -> Answer {
    archive(&book, &scope).await
}

/// Everything in reach as one archive, sent while it is made.
pub(crate) async fn archive(book: &Book, scope: &Scope) -> Answer {
    let records = book.store.export(scope).await?;
    let (out, chunks) = channel(4);
    tokio::task::spawn_blocking(move || {
        let mut sink = Sink { out, waiting: Vec::with_capacity(CHUNK) };
        if let Err(error) = export::write_archive_blocking(records, &mut sink) {
            // What was promised as an archive must not end like a whole one.
            let _ = sink.out.blocking_send(Err(error));
        }
    });
    Ok(file(Body::new(Chunks(chunks)), "application/zip", "cookbook.zip"))
}

/// How many bytes are sent at once.
const CHUNK: usize = 64 * 1024;

/// What is written here is sent. When nobody listens any more, writing fails.
struct Sink {
    out: Sender<Result<Bytes, NoArchive>>,
    waiting: Vec<u8>,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let chunk = Bytes::from(std::mem::replace(&mut self.waiting, Vec::with_capacity(CHUNK)));
        self.out.blocking_send(Ok(chunk)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// The chunks of a sink as a body.
struct Chunks(Receiver<Result<Bytes, NoArchive>>);

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = NoArchive;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, NoArchive>>> {
        self.0.poll_recv(cx).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

/// `POST /restore`
pub(super) async fn restore(
    State(book): State<Book>,
    Caller(scope): Caller,
    pairs: Pairs,
    request: Request,
) -> Answer {
    let words = [("skip", OnConflict::Skip), ("replace", OnConflict::Replace)];
    let on_conflict = chosen(&pairs, "on_conflict", words)?;
    scope.may(crate::family::Role::Owner)?;
    let upload = upload(&book, request).await?;
    Ok(output::json(StatusCode::OK, &restored(&book, &scope, upload, on_conflict).await?))
}

/// Puts an archive into what a scope reaches.
pub(crate) async fn restored(
    book: &Book,
    scope: &Scope,
    upload: Upload,
    on_conflict: OnConflict,
) -> Result<Restored, Problem> {
    let (store, scope, runtime) = (book.store.clone(), scope.clone(), Handle::current());
    // The archive is unpacked, and its photos are read, while it is written: nothing that others wait for.
    let restoring = tokio::task::spawn_blocking(move || -> Result<Restored, Problem> {
        let Upload { bytes, _turn } = upload;
        let records = export::read_archive(bytes).map_err(|error| match error {
            NoArchive::Store(error) => error.into(),
            NoArchive::Unpack(error) => unreadable("file", &error),
            NoArchive::Write(_)
            | NoArchive::Zip(_)
            | NoArchive::Foreign
            | NoArchive::Newer(_)
            | NoArchive::Record { .. } => Problem::field("file", error),
        })?;
        Ok(runtime.block_on(store.restore(&scope, records, on_conflict))?)
    });
    finished(restoring.await)?
}
