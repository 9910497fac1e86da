//! The host of the application without its window, for tests: `host`.
//!
//! It claims the socket that `XDG_RUNTIME_DIR` names, keeps its files under `DESKMATE_HOME`, and says `ready`. Then each line of
//! stdin is something the person does, and is answered with a line of JSON on stdout: see `Order`. It ends with stdin.

use std::alloc::System;
use std::error::Error;
use std::io::{BufRead, Write};
use std::sync::Arc;

use files::Home;
use fotos::bridge::{Claim, Place};
use fotos::capture::Cursor;
use fotos::document::Edit;
use fotos::host::{Format, Picked};
use fotos::screenshot::By;
use fotos::store::Limits;
use fotos::{Config, Host};
use geometry::Rect;
use models::EnvironmentKeys;
use serde::Deserialize;
use serde_json::{Value, json};
use zeroizing_alloc::ZeroAlloc;

/// Wipes memory when it is given back: what the person covered for good is nowhere any more.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

/// What the person does.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Order {
    Shots,
    Search(String),
    Snap(Picked),
    Add {
        path: String,
    },
    Share {
        id: String,
        shared: bool,
    },
    Delete(String),
    /// Shows it in every window, as an agent may ask for it.
    BringUp(String),
    Document(String),
    Edit {
        id: String,
        edit: Edit,
    },
    Undo(String),
    Redo(String),
    Export {
        id: String,
        path: String,
    },
    Thumbnail(String),
    Read(String),
    Review(String),
    Redact {
        id: String,
        boxes: Vec<Rect>,
    },
    Settings,
    Patch(Value),
    Problems,
    /// What is wrong with the history.
    Trouble,
    Activity,
    Pause(bool),
    /// Shows the pages on a loopback port, and says which link lets a browser in.
    #[cfg(feature = "pages")]
    Pages,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let variable = |name: &str| std::env::var_os(name);
    let claim = Claim::take(&Place::from_environment(variable)?)?;
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let usual = Limits::APPLICATION;
    let config = Config {
        keys: Arc::new(EnvironmentKeys(|name: &str| std::env::var(name).ok())),
        // A test need not fill the memory to see what happens then.
        limits: Limits { bytes: number("FOTOS_MEMORY").unwrap_or(usual.bytes), ..usual },
        ..Config::from_environment(variable)
    };
    let folder = Home::from_environment(variable)?.path_of(fotos::NAME);
    let host = Arc::new(Host::open(config, &folder)?);
    let serving = tokio::spawn(claim.serve(Arc::clone(&host)));
    say("ready")?;
    let (sender, mut orders) = tokio::sync::mpsc::channel(16);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    while let Some(line) = orders.recv().await {
        let answer = match serde_json::from_str(&line) {
            Ok(order) => carry_out(&host, order).await,
            Err(error) => Err(error.into()),
        };
        say(&answer.unwrap_or_else(|error| json!({ "error": error.to_string() })).to_string())?;
    }
    serving.abort();
    let _ = serving.await;
    Ok(())
}

fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

async fn carry_out(host: &Arc<Host>, order: Order) -> Result<Value, Box<dyn Error>> {
    Ok(match order {
        Order::Shots => json!(host.shots()),
        Order::Search(text) => json!(host.search(&text)),
        Order::Snap(picked) => json!(host.snap(picked, Cursor::Hidden).await?.summary()),
        Order::Add { path } => {
            json!(host.add_picture(Some("a file".to_owned()), std::fs::read(path)?.into()).await?.summary())
        }
        Order::Share { id, shared } => json!(host.share(&id, shared)?),
        Order::Delete(id) => json!(host.delete(&id)?.summary()),
        Order::BringUp(id) => json!(host.bring_up(&id)?),
        Order::Document(id) => json!(host.document(&id)?),
        Order::Edit { id, edit } => json!(host.edit(&id, edit, None)?),
        Order::Undo(id) => json!(host.undo(&id, By::Person)?),
        Order::Redo(id) => json!(host.redo(&id, By::Person)?),
        Order::Export { id, path } => {
            let png = host.work(move |host| host.export(&id, Format::Png)).await?;
            json!(std::fs::write(path, png)?)
        }
        Order::Thumbnail(id) => json!(host.work(move |host| host.thumbnail(&id, 200)).await?.len()),
        Order::Read(id) => {
            let page =
                host.work(move |host| host.read(&*host.view(&id)?, "eng", &mut ocr::unwatched)).await?;
            json!(page.to_string())
        }
        Order::Review(id) => {
            let found = host.work(move |host| host.review(&id, &mut ocr::unwatched)).await?;
            json!(found.iter().map(|one| json!({ "kind": one.kind, "place": one.place })).collect::<Vec<_>>())
        }
        Order::Redact { id, boxes } => {
            json!(host.work(move |host| host.commit_redaction(&id, &boxes)).await?)
        }
        Order::Settings => json!(*host.settings()),
        Order::Patch(patch) => json!(*host.patch_settings(&patch.to_string())?),
        Order::Problems => json!(host.settings_problems()),
        Order::Trouble => json!(host.history_trouble()),
        Order::Activity => json!(host.activity.calls()),
        Order::Pause(paused) => json!(host.pause_agents(paused)?),
        #[cfg(feature = "pages")]
        Order::Pages => json!(pages(host).await?),
    })
}

#[cfg(feature = "pages")]
async fn pages(host: &Arc<Host>) -> Result<String, Box<dyn Error>> {
    use fotos::pages::{Browser, PATH, router};
    use web::{Browsers, Gate, Listener, Shutdown, Site};

    let listener = Listener::bind(([127, 0, 0, 1], 0).into()).await?;
    let address = listener.address();
    let browsers = Arc::new(Browsers::new(format!("fotos-{}", address.port())));
    let link = browsers.link(PATH, std::time::Duration::from_secs(600))?;
    let site = Site::default().guarded_router(PATH, router(Arc::clone(host), Arc::new(Browser)));
    tokio::spawn(listener.serve(site, Gate::only_browsers(address, browsers), Shutdown::new()));
    Ok(format!("http://{address}{link}"))
}
